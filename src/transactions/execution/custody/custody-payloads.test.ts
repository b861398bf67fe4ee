import { createChainTable } from '../../../chains/chain-table';
import { KNOWN_CHAINS } from '../../../chains/known-chains';
import { isServiceError } from '../../../errors/service-error';
import type { UnsignedCall } from '../../../venues/quote-provider';
import { custodyPayloads } from './custody-payloads';

const chains = createChainTable(KNOWN_CHAINS);
const ACTION = '019aa4c1-7a38-7b22-8d4e-1f2a3b4c5d6e';
const SENDER = '0x1111111111111111111111111111111111111111';
const TOKEN = '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174';
const ROUTER = '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45';

const call = (to: string, overrides: Partial<UnsignedCall> = {}): UnsignedCall => ({
  chainId: 137,
  from: SENDER,
  to,
  data: '0x095ea7b3',
  value: 0n,
  ...overrides,
});
const requestOn = (slug: string) => ({ accountId: '12', chain: chains.find(slug)!, actionId: ACTION });

it('builds the exact request body of the custody service for each call', () => {
  const calls = [call(TOKEN), call(ROUTER, { data: '0x04e45aaf00ff', value: 1_500_000_000_000_000_001n })];
  expect(custodyPayloads(calls, requestOn('polygon'))).toEqual([
    {
      operation: 'CONTRACT_CALL',
      assetId: 'MATIC_POLYGON',
      source: { type: 'VAULT_ACCOUNT', id: '12' },
      destination: { type: 'ONE_TIME_ADDRESS', oneTimeAddress: { address: TOKEN } },
      amount: '0',
      extraParameters: { contractCallData: '0x095ea7b3' },
      externalTxId: `${ACTION}-1`,
      note: `Action ${ACTION}, call 1 of 2`,
    },
    {
      operation: 'CONTRACT_CALL',
      assetId: 'MATIC_POLYGON',
      source: { type: 'VAULT_ACCOUNT', id: '12' },
      destination: { type: 'ONE_TIME_ADDRESS', oneTimeAddress: { address: ROUTER } },
      amount: '1.500000000000000001',
      extraParameters: { contractCallData: '0x04e45aaf00ff' },
      externalTxId: `${ACTION}-0`,
      note: `Action ${ACTION}, call 2 of 2`,
    },
  ]);
});

it('keeps the id of the call that moves the money when a repeated request has other approvals', () => {
  const idsOf = (calls: readonly UnsignedCall[]) =>
    custodyPayloads(calls, requestOn('base')).map(({ externalTxId }) => externalTxId);
  const swap = call(ROUTER);
  const repeated = [[call(TOKEN), call(TOKEN), swap], [call(TOKEN), swap], [swap]].map(idsOf);
  expect(repeated.map((ids) => ids.at(-1))).toEqual([`${ACTION}-0`, `${ACTION}-0`, `${ACTION}-0`]);
  for (const ids of repeated) expect(new Set(ids).size).toBe(ids.length);
});

it('uses the asset name of the configuration', () => {
  const chain = { ...chains.find('gnosis')!, custodyAsset: 'XDAI_OF_OURS' };
  const [payload] = custodyPayloads([call(ROUTER)], { ...requestOn('gnosis'), chain });
  expect(payload?.assetId).toBe('XDAI_OF_OURS');
});

it('refuses chains without a known asset name', () => {
  const refused = () => custodyPayloads([call(ROUTER)], requestOn('gnosis'));
  expect(refused).toThrow('custody is not available on gnosis');
  try {
    refused();
  } catch (error) {
    expect(isServiceError(error) && error.code).toBe('VALIDATION_ERROR');
    expect(isServiceError(error) && error.details).toMatchObject({ errors: [{ path: 'output' }] });
  }
});
