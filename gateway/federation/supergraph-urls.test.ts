import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'graphql';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { withSubgraphUrls } from './supergraph-urls';

const supergraph = readFileSync(path.join(PROJECT_ROOT, 'gateway/supergraph.graphql'), 'utf8');

test('the supergraph for another router has the configured URLs of the subgraphs, and is unchanged otherwise', () => {
  const urls = new Map([
    ['swaps', 'http://swaps.internal:4001/graphql'],
    ['kyc', 'https://kyc.internal/graphql?x="y"'],
  ]);
  const written = withSubgraphUrls(supergraph, urls);
  expect(() => parse(written)).not.toThrow();
  expect(written).toContain('SWAPS @join__graph(name: "swaps", url: "http://swaps.internal:4001/graphql")');
  expect(written).toContain('KYC @join__graph(name: "kyc", url: "https://kyc.internal/graphql?x=\\"y\\"")');
  expect(written).toContain('WALLETS @join__graph(name: "wallets", url: "http://wallets/graphql")');
  const former = new Map([
    ['swaps', 'http://swaps/graphql'],
    ['kyc', 'http://kyc/graphql'],
  ]);
  expect(withSubgraphUrls(written.replace('?x=\\"y\\"', ''), former)).toBe(supergraph);
});
