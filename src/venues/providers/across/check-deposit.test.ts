import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem';
import { parseAbiParameters } from 'viem';
import {
  AMOUNT,
  swapResponseOf,
  buildWith,
  type Changes,
  depositCall,
  type DepositArguments,
  HANDLER,
  origin,
  OUTPUT,
  quoteWith,
  reason,
  RECIPIENT,
  REFUND,
  request,
  SENDER,
  SPOKE_POOL,
  THIEF,
  TOKEN_IN,
  TOKEN_OUT,
  tokenOf,
  WETH,
  wrappedOut,
} from '../../../../test/contract/across-responses';
import { toBaseUnits } from '../../../money/base-units';
import type { QuoteRequest } from '../../quote-provider';
import { spokePoolAbi, toWord } from './spoke-pool';

const handlerAbi = parseAbi([
  'function drainLeftoverTokens(address token, address destination)',
  'function transfer(address to, uint256 value)',
]);
const instructions = parseAbiParameters([
  'Instructions instructions',
  'struct Instructions { Call[] calls; address fallbackRecipient; }',
  'struct Call { address target; bytes callData; uint256 value; }',
]);
const drain = (token: Address, to: Address, target = HANDLER) => ({
  target,
  value: 0n,
  callData: encodeFunctionData({ abi: handlerAbi, functionName: 'drainLeftoverTokens', args: [token, to] }),
});
const messageOf = (calls: readonly ReturnType<typeof drain>[], fallbackRecipient: Address = zeroAddress) =>
  encodeAbiParameters(instructions, [{ calls, fallbackRecipient }]);
const wrapped = (message: Hex): Partial<DepositArguments> => ({
  outputToken: toWord(WETH),
  recipient: toWord(HANDLER),
  message,
});

describe('a deposit from the API of Across', () => {
  const tag: Hex = '0x1dc0de00af73c0de';

  it.each([
    ['unchanged', depositCall()],
    ['with the tag of the integrator', concatHex([depositCall(), tag])],
    [
      'with the older function',
      encodeFunctionData({
        abi: spokePoolAbi,
        functionName: 'depositV3',
        args: [
          ...([REFUND, RECIPIENT, TOKEN_IN, TOKEN_OUT, AMOUNT, OUTPUT, 10n, zeroAddress] as const),
          ...([1_800_000_000, 1_800_007_200, 0, '0x'] as const),
        ],
      }),
    ],
  ])('is accepted %s', async (_, data) => {
    expect(await buildWith(() => swapResponseOf({ data }))).toEqual({
      kind: 'call',
      chainId: 1,
      from: SENDER,
      to: SPOKE_POOL,
      data,
      value: 0n,
      spender: SPOKE_POOL,
    });
  });

  it('is accepted with a message that forwards the output', async () => {
    const data = depositCall(wrapped(messageOf([drain(WETH, RECIPIENT), drain(WETH, RECIPIENT)])));
    expect(await buildWith(() => swapResponseOf({ data }), wrappedOut)).toMatchObject({ data, to: SPOKE_POOL });
    expect(await quoteWith({ data }, wrappedOut)).toMatchObject({ expectedAmountOut: OUTPUT });
  });

  it('has a value only when the native coin is sold', async () => {
    const coin = { ...request, tokenIn: tokenOf(origin, zeroAddress) };
    const data = depositCall({ inputToken: toWord(WETH) });
    expect(await buildWith(() => swapResponseOf({ data }), coin)).toMatchObject({ value: AMOUNT, spender: undefined });
  });

  const forged: readonly (readonly [string, Changes, QuoteRequest?])[] = [
    ['calls another contract', { swapTx: { to: THIEF } }],
    ['calls the token', { swapTx: { to: TOKEN_IN } }],
    ['is for another chain', { swapTx: { chainId: 10 } }],
    ['sends additional native coin', { swapTx: { value: '1' } }],
    ['is no deposit call', { data: approval() }],
    ['has no calldata', { data: '0x' }],
    ['is truncated', { data: depositCall().slice(0, -2) as Hex }],
    ['has more bytes after its arguments than a tag', { data: concatHex([depositCall(), `0x${'00'.repeat(33)}`]) }],
    ['refunds another account', { data: depositCall({ depositor: toWord(THIEF) }) }],
    ['refunds the sender instead of the refund address', { data: depositCall({ depositor: toWord(SENDER) }) }],
    ['pays another recipient', { data: depositCall({ recipient: toWord(THIEF) }) }],
    ['pays a longer address', { data: depositCall({ recipient: `0x01${toWord(RECIPIENT).slice(4)}` }) }],
    ['pays the handler without a message', { data: depositCall({ recipient: toWord(HANDLER) }) }],
    ['takes another token', { data: depositCall({ inputToken: toWord(WETH) }) }],
    ['delivers another token', { data: depositCall({ outputToken: toWord(TOKEN_IN) }) }],
    ['takes more', { data: depositCall({ inputAmount: AMOUNT + 1n }), bridge: { inputAmount: String(AMOUNT + 1n) } }],
    ['takes less', { data: depositCall({ inputAmount: AMOUNT - 1n }), bridge: { inputAmount: String(AMOUNT - 1n) } }],
    ['delivers nothing', { data: depositCall({ outputAmount: 0n }), bridge: { outputAmount: '0' } }],
    ['delivers less than the response says', { data: depositCall({ outputAmount: OUTPUT - 1n }) }],
    ['is for another destination', { data: depositCall({ destinationChainId: 137n }) }],
    ['goes through another bridge', { bridge: { provider: 'cctp', fees: {} } }],
    ['swaps on the origin chain', { steps: { originSwap: {} } }],
    ['swaps on the destination chain', { steps: { destinationSwap: {} } }],
    ['has a message for the recipient', { data: depositCall({ message: '0x1234' }) }],
    ['drains to another account', { data: depositCall(wrapped(messageOf([drain(WETH, THIEF)]))) }, wrappedOut],
    [
      'drains to another account first',
      { data: depositCall(wrapped(messageOf([drain(WETH, THIEF), drain(WETH, RECIPIENT)]))) },
      wrappedOut,
    ],
    ['drains another token', { data: depositCall(wrapped(messageOf([drain(TOKEN_OUT, RECIPIENT)]))) }, wrappedOut],
    ['drains nothing', { data: depositCall(wrapped(messageOf([]))) }, wrappedOut],
    ['calls something else', { data: depositCall(wrapped(messageOf([drain(WETH, RECIPIENT, THIEF)]))) }, wrappedOut],
    [
      'has a fallback recipient',
      { data: depositCall(wrapped(messageOf([drain(WETH, RECIPIENT)], THIEF))) },
      wrappedOut,
    ],
  ];

  const cases = forged.map(([how, changes, swapRequest = request]) => ({ how, changes, swapRequest }));
  it.each(cases)('is amountError when it $how', async ({ changes, swapRequest }) => {
    expect(await buildWith(() => swapResponseOf(changes), swapRequest).catch(reason)).toBe(
      'BYTECODE_GENERATION_FAILED',
    );
    const quoted = await quoteWith(changes, swapRequest).catch(reason);
    expect([undefined, 'PROVIDER_UNAVAILABLE']).toContain(quoted);
  });

  it('is amountError when the response promises more than it', async () => {
    const promised = swapResponseOf({ minOutputAmount: String(OUTPUT + 1n) });
    expect(await buildWith(() => promised).catch(reason)).toBe('BYTECODE_GENERATION_FAILED');
  });

  it('expires the quote when it delivers one base unit less than the minimum', async () => {
    const response = swapResponseOf();
    expect(await buildWith(() => response, request, { minAmountOut: toBaseUnits(OUTPUT) })).toMatchObject({
      kind: 'call',
    });
    const tooLittle = buildWith(() => response, request, { minAmountOut: toBaseUnits(OUTPUT + 1n) });
    expect(await tooLittle.catch(reason)).toBe('QUOTE_EXPIRED');
  });
});

function approval(): Hex {
  return encodeFunctionData({ abi: handlerAbi, functionName: 'transfer', args: [THIEF, AMOUNT] });
}
