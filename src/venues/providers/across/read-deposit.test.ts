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
  answerOf,
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
} from '../../../../test/contract/across-answers';
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

describe('a deposit that Across made', () => {
  const tag: Hex = '0x1dc0de00af73c0de';

  it.each([
    ['as it is', depositCall()],
    ['with the mark of the integrator', concatHex([depositCall(), tag])],
    [
      'by the older function',
      encodeFunctionData({
        abi: spokePoolAbi,
        functionName: 'depositV3',
        args: [
          ...([REFUND, RECIPIENT, TOKEN_IN, TOKEN_OUT, AMOUNT, OUTPUT, 10n, zeroAddress] as const),
          ...([1_800_000_000, 1_800_007_200, 0, '0x'] as const),
        ],
      }),
    ],
  ])('is handed out %s', async (_, data) => {
    expect(await buildWith(() => answerOf({ data }))).toEqual({
      kind: 'call',
      chainId: 1,
      from: SENDER,
      to: SPOKE_POOL,
      data,
      value: 0n,
      spender: SPOKE_POOL,
    });
  });

  it('is handed out with a message that passes on what arrives', async () => {
    const data = depositCall(wrapped(messageOf([drain(WETH, RECIPIENT), drain(WETH, RECIPIENT)])));
    expect(await buildWith(() => answerOf({ data }), wrappedOut)).toMatchObject({ data, to: SPOKE_POOL });
    expect(await quoteWith({ data }, wrappedOut)).toMatchObject({ expectedAmountOut: OUTPUT });
  });

  it('sends coin along only when coin is sold', async () => {
    const coin = { ...request, tokenIn: tokenOf(origin, zeroAddress) };
    const data = depositCall({ inputToken: toWord(WETH) });
    expect(await buildWith(() => answerOf({ data }), coin)).toMatchObject({ value: AMOUNT, spender: undefined });
  });

  const steal: readonly (readonly [string, Changes, QuoteRequest?])[] = [
    ['calls another contract', { swapTx: { to: THIEF } }],
    ['calls the token', { swapTx: { to: TOKEN_IN } }],
    ['is for another chain', { swapTx: { chainId: 10 } }],
    ['takes coin besides', { swapTx: { value: '1' } }],
    ['approves somebody', { data: approval() }],
    ['is no call', { data: '0x' }],
    ['is cut off', { data: depositCall().slice(0, -2) as Hex }],
    ['hides more behind its arguments', { data: concatHex([depositCall(), `0x${'00'.repeat(33)}`]) }],
    ['is paid back to somebody else', { data: depositCall({ depositor: toWord(THIEF) }) }],
    ['is paid back to the sender instead of the refund address', { data: depositCall({ depositor: toWord(SENDER) }) }],
    ['is delivered to somebody else', { data: depositCall({ recipient: toWord(THIEF) }) }],
    ['is delivered to a longer address', { data: depositCall({ recipient: `0x01${toWord(RECIPIENT).slice(4)}` }) }],
    ['is delivered to the handler, for anybody to take', { data: depositCall({ recipient: toWord(HANDLER) }) }],
    ['takes another token', { data: depositCall({ inputToken: toWord(WETH) }) }],
    ['delivers another token', { data: depositCall({ outputToken: toWord(TOKEN_IN) }) }],
    ['takes more', { data: depositCall({ inputAmount: AMOUNT + 1n }), bridge: { inputAmount: String(AMOUNT + 1n) } }],
    ['takes less', { data: depositCall({ inputAmount: AMOUNT - 1n }), bridge: { inputAmount: String(AMOUNT - 1n) } }],
    ['delivers nothing', { data: depositCall({ outputAmount: 0n }), bridge: { outputAmount: '0' } }],
    ['delivers less than the answer says', { data: depositCall({ outputAmount: OUTPUT - 1n }) }],
    ['is for another destination', { data: depositCall({ destinationChainId: 137n }) }],
    ['goes through another bridge', { bridge: { provider: 'cctp', fees: {} } }],
    ['swaps before', { steps: { originSwap: {} } }],
    ['swaps behind', { steps: { destinationSwap: {} } }],
    ['has a message for the recipient', { data: depositCall({ message: '0x1234' }) }],
    ['drains to somebody else', { data: depositCall(wrapped(messageOf([drain(WETH, THIEF)]))) }, wrappedOut],
    [
      'drains to somebody else first',
      { data: depositCall(wrapped(messageOf([drain(WETH, THIEF), drain(WETH, RECIPIENT)]))) },
      wrappedOut,
    ],
    ['drains another token', { data: depositCall(wrapped(messageOf([drain(TOKEN_OUT, RECIPIENT)]))) }, wrappedOut],
    ['drains nothing', { data: depositCall(wrapped(messageOf([]))) }, wrappedOut],
    ['calls something else', { data: depositCall(wrapped(messageOf([drain(WETH, RECIPIENT, THIEF)]))) }, wrappedOut],
    [
      'leaves what fails to somebody',
      { data: depositCall(wrapped(messageOf([drain(WETH, RECIPIENT)], THIEF))) },
      wrappedOut,
    ],
  ];

  const cases = steal.map(([how, changes, asked = request]) => ({ how, changes, asked }));
  it.each(cases)('is refused when it $how', async ({ changes, asked }) => {
    expect(await buildWith(() => answerOf(changes), asked).catch(reason)).toBe('BYTECODE_GENERATION_FAILED');
    const quoted = await quoteWith(changes, asked).catch(reason);
    expect([undefined, 'PROVIDER_UNAVAILABLE']).toContain(quoted);
  });

  it('is refused when the answer promises more than it', async () => {
    const promised = answerOf({ minOutputAmount: String(OUTPUT + 1n) });
    expect(await buildWith(() => promised).catch(reason)).toBe('BYTECODE_GENERATION_FAILED');
  });

  it('ends the quote when it delivers less than its minimum, by one base unit', async () => {
    const answer = answerOf();
    expect(await buildWith(() => answer, request, { minAmountOut: toBaseUnits(OUTPUT) })).toMatchObject({
      kind: 'call',
    });
    const tooLittle = buildWith(() => answer, request, { minAmountOut: toBaseUnits(OUTPUT + 1n) });
    expect(await tooLittle.catch(reason)).toBe('QUOTE_EXPIRED');
  });
});

function approval(): Hex {
  return encodeFunctionData({ abi: handlerAbi, functionName: 'transfer', args: [THIEF, AMOUNT] });
}
