import { encodeErrorResult, type Hex, parseAbi } from 'viem';
import { refusedTrade, revertReason } from './revert-reason';

const abi = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error EnforcedPause()',
  'error OnlyOnTuesdays()',
  'error InsufficientETH()',
]);
const error = (reason: string): Hex => encodeErrorResult({ abi, errorName: 'Error', args: [reason] });

describe('the reason of a revert', () => {
  it('is the string of the contract, or the meaning of a terse one', () => {
    expect(revertReason(error('paused until noon'))).toBe('paused until noon');
    expect(revertReason(error('Too little received'))).toBe('less would be received than the minimum');
  });

  it('is too little received, of native coins and in the words of an aggregator', () => {
    const native = encodeErrorResult({ abi, errorName: 'InsufficientETH' });
    for (const data of [native, error('Return amount is not enough')]) {
      expect(revertReason(data)).toBe('less would be received than the minimum');
      expect(refusedTrade(data)).toBe('slippage');
    }
  });

  it('is the meaning of a panic', () => {
    expect(revertReason(encodeErrorResult({ abi, errorName: 'Panic', args: [0x11n] }))).toMatch(/overflow/);
    expect(revertReason(encodeErrorResult({ abi, errorName: 'Panic', args: [0x99n] }))).toBe('panic 0x99');
  });

  it('is the name of a known custom error with its arguments', () => {
    const sender = '0x00000000000000000000000000000000000000AA';
    const data = encodeErrorResult({ abi, errorName: 'ERC20InsufficientBalance', args: [sender, 1n, 2n] });
    expect(revertReason(data)).toBe(`ERC20InsufficientBalance(${sender}, 1, 2)`);
    expect(revertReason(encodeErrorResult({ abi, errorName: 'EnforcedPause' }))).toBe('EnforcedPause');
  });

  it('is the selector of an unknown custom error', () => {
    const data = encodeErrorResult({ abi, errorName: 'OnlyOnTuesdays' });
    expect(revertReason(data)).toBe(`reverted with the custom error ${data}`);
  });

  it('states that a reason is missing', () => {
    expect(revertReason('0x')).toBe('reverted without a reason');
    expect(revertReason(error('\u0000\u202e'))).toBe('reverted without a reason');
  });

  it('removes characters that could manipulate a log or a screen', () => {
    expect(revertReason(error(`a\u0007b\u202ec${'x'.repeat(10_000)}`))).toMatch(/^abcx{197}$/);
    expect(revertReason('0x08c379a0ffff')).toMatch(/^reverted with the custom error/);
  });
});
