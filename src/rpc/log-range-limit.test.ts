import { RpcRequestError } from 'viem';
import { isNodeBehind, isRangeRefused, maximumBlocks, suggestedBlocks } from './log-range-limit';

const refusal = (message: string, data?: unknown) =>
  new RpcRequestError({ body: {}, url: 'http://127.0.0.1', error: { code: -32000, message, data } });

test.each<[string, string, unknown, number | undefined]>([
  [
    'Alchemy',
    'Log response size exceeded. Based on your parameters, this block range should work: [0x10, 0x1f]',
    undefined,
    16,
  ],
  [
    'Alchemy, free',
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
    undefined,
    10,
  ],
  ['Infura', 'query returned more than 10000 results', { from: '0x64', to: '0xc7', limit: 10_000 }, 100],
  [
    'Infura, in words',
    'query returned more than 10000 results. Try with this block range [0x64, 0xc7].',
    undefined,
    100,
  ],
  ['QuickNode', 'eth_getLogs is limited to a 5 range', undefined, 5],
  ['Ankr', 'block range is too wide', undefined, undefined],
  ['LlamaRPC', 'query exceeds max results 20000, retry with the range 1000-1099', undefined, 100],
  ['Avalanche', 'requested too many blocks from 1 to 500, maximum is set to 48', undefined, 48],
  ['Cloudflare', 'Max range: 80', undefined, 80],
  ['thirdweb', 'Maximum allowed number of requested blocks is 90', undefined, 90],
  ['Coinbase', 'please limit the query to at most 150 blocks', undefined, 150],
  ['dRPC', 'ranges over 100 blocks are not supported on freetier', undefined, 100],
  ['PublicNode', 'exceed maximum block range: 200', undefined, 200],
  ['Chainstack', 'Block range limit exceeded.', undefined, undefined],
  ['Merkle', 'eth_getLogs range is too large, max is 10k blocks', undefined, undefined],
])('the limit of %s is found in its error', (...[, message, data, blocks]) => {
  const error = refusal(message, data);
  expect(isRangeRefused(error)).toBe(true);
  expect(suggestedBlocks(error, 500)).toBe(blocks);
});

test.each(['exceeded the rate limit of 10 requests', 'daily request count exceeded', 'execution reverted'])(
  '"%s" is no refusal of a range',
  (message) => expect(isRangeRefused(refusal(message))).toBe(false),
);

test.each([
  'block range extends beyond current head block',
  'unknown block',
  'requested to block after last accepted block',
])('"%s" means that the node has to be waited for', (message) => {
  expect(isNodeBehind(refusal(message))).toBe(true);
  expect(isRangeRefused(refusal(message))).toBe(false);
});

test('a suggestion that is no smaller, or no range, is ignored', () => {
  expect(suggestedBlocks(refusal('limited to a 500 block range'), 500)).toBeUndefined();
  expect(suggestedBlocks(refusal('this block range should work: [0x20, 0x10]'), 500)).toBeUndefined();
  expect(suggestedBlocks(refusal('too much', { from: 'a', to: {} }), 500)).toBeUndefined();
  expect(suggestedBlocks(new TypeError('limited to a 5 range'), 500)).toBeUndefined();
});

it('distinguishes the maximum of a node from a range that depends on the results of a request', () => {
  const named = 'Query returned more than 10000 results. Try with this block range [0x10, 0x1f].';
  expect([maximumBlocks(refusal(named)), suggestedBlocks(refusal(named), 500)]).toEqual([undefined, 16]);
  expect(maximumBlocks(refusal('eth_getLogs is limited to a 500 block range'))).toBe(500);
  expect(maximumBlocks(new TypeError('other'))).toBeUndefined();
});
