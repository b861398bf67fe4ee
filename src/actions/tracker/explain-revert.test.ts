import { encodeErrorResult, parseAbi } from 'viem';
import { ROUTER } from '../../../test/swaps/swap-world';
import { revertFailure } from './explain-revert';

const abi = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error V3TooLittleReceived()',
  'error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived)',
  'error InsufficientToken()',
  'error CumulativeSlippageTooHigh(uint256 minAmount, uint256 receivedAmount)',
  'error TooMuchSlippage(address token, uint256 expected, uint256 actual)',
  'error ReturnAmountIsNotEnough(uint256 result, uint256 minReturn)',
  'error MinimalOutputBalanceViolation(uint256 amountOut)',
  'error TransactionDeadlinePassed()',
]);
const said = (reason: string) => encodeErrorResult({ abi, errorName: 'Error', args: [reason] });

describe('the reason of a failed transaction', () => {
  it.each([
    'Too little received',
    'Too much requested',
    'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT',
    'UniswapV2Router: EXCESSIVE_INPUT_AMOUNT',
    'Insufficient token',
    'Insufficient WETH9',
    'CumulativeSlippageTooHigh',
    'TooMuchSlippage',
  ])('is the slippage when the router says "%s"', (reason) =>
    expect(revertFailure(said(reason)).substatus).toBe('SLIPPAGE_EXCEEDED'),
  );

  it('is the slippage for a custom error of the router', () => {
    const errors = [
      encodeErrorResult({ abi, errorName: 'V3TooLittleReceived' }),
      encodeErrorResult({ abi, errorName: 'V4TooLittleReceived', args: [2n, 1n] }),
      encodeErrorResult({ abi, errorName: 'InsufficientToken' }),
      encodeErrorResult({ abi, errorName: 'CumulativeSlippageTooHigh', args: [2n, 1n] }),
      encodeErrorResult({ abi, errorName: 'TooMuchSlippage', args: [ROUTER, 2n, 1n] }),
      encodeErrorResult({ abi, errorName: 'ReturnAmountIsNotEnough', args: [1n, 2n] }),
      encodeErrorResult({ abi, errorName: 'MinimalOutputBalanceViolation', args: [1n] }),
    ];
    const failure = {
      reason: 'The transaction reverted: less would be received than the minimum',
      substatus: 'SLIPPAGE_EXCEEDED',
    };
    expect(errors.map(revertFailure)).toEqual(errors.map(() => failure));
  });

  it('is the deadline for a deadline error of the router', () => {
    const failure = { reason: 'The transaction reverted: the deadline has passed', substatus: 'EXPIRED' };
    const late = encodeErrorResult({ abi, errorName: 'TransactionDeadlinePassed' });
    for (const data of [said('Transaction too old'), said('UniswapV2Router: EXPIRED'), late]) {
      expect(revertFailure(data)).toEqual(failure);
    }
  });

  it('is the revert reason for any other error', () => {
    expect(revertFailure(said('paused'))).toEqual({ reason: 'The transaction reverted: paused', substatus: undefined });
    expect(revertFailure(said('constructor')).reason).toBe('The transaction reverted: constructor');
    expect(revertFailure(encodeErrorResult({ abi, errorName: 'Panic', args: [0x11n] }))).toEqual({
      reason: 'The transaction reverted: arithmetic overflow or underflow',
      substatus: undefined,
    });
    expect(revertFailure('0x').reason).toBe('The transaction reverted: reverted without a reason');
    expect(revertFailure('0xdeadbeef').reason).toContain('0xdeadbeef');
  });
});
