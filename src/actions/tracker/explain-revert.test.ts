import { encodeErrorResult, parseAbi } from 'viem';
import { failureOf } from './explain-revert';

const abi = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error V3TooLittleReceived()',
  'error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived)',
]);
const said = (reason: string) => encodeErrorResult({ abi, errorName: 'Error', args: [reason] });

describe('the reason of a failed transaction', () => {
  it.each(['Too little received', 'Too much requested', 'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT'])(
    'is the slippage when the router says "%s"',
    (reason) => expect(failureOf(said(reason)).substatus).toBe('SLIPPAGE_EXCEEDED'),
  );

  it('is the slippage for a custom error of the router', () => {
    const errors = [
      encodeErrorResult({ abi, errorName: 'V3TooLittleReceived' }),
      encodeErrorResult({ abi, errorName: 'V4TooLittleReceived', args: [2n, 1n] }),
    ];
    expect(errors.map((data) => failureOf(data).substatus)).toEqual(['SLIPPAGE_EXCEEDED', 'SLIPPAGE_EXCEEDED']);
  });

  it('is the deadline for a deadline error of the router', () => {
    expect(failureOf(said('Transaction too old'))).toEqual({
      reason: 'The transaction reverted: the deadline has passed',
      substatus: 'EXPIRED',
    });
  });

  it('is the revert reason for any other error', () => {
    expect(failureOf(said('paused')).reason).toBe('The transaction reverted: paused');
    expect(failureOf(encodeErrorResult({ abi, errorName: 'Panic', args: [0x11n] }))).toEqual({
      reason: 'The transaction reverted: arithmetic overflow or underflow',
      substatus: undefined,
    });
    expect(failureOf('0x').reason).toBe('The transaction reverted: reverted without a reason');
    expect(failureOf('0xdeadbeef').reason).toContain('0xdeadbeef');
  });
});
