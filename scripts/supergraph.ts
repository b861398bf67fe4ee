import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { withSubgraphUrls } from '../gateway/federation/supergraph-urls';
import { readEnvironment } from '../src/config/environment';
import { PROJECT_ROOT } from '../src/config/project-root';
import { SUBGRAPH_NAMES } from '../src/main/subgraphs';

const environment = readEnvironment();
const urls = SUBGRAPH_NAMES.flatMap((name) => {
  const url = environment[`SUBGRAPH_URL_${name.toUpperCase()}`];
  return url === undefined || url === '' ? [] : [[name, url] as const];
});

// For a federation router in place of the gateway: see docs/federation.md.
console.log(
  withSubgraphUrls(
    readFileSync(path.join(PROJECT_ROOT, 'gateway/supergraph.graphql'), 'utf8'),
    new Map(urls),
  ).trimEnd(),
);
