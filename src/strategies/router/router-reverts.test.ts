import { type Address, encodeErrorResult } from 'viem';
import { ROUTER_ABI } from './router-abi';
import { isUnfit, refusedRecipient } from './router-reverts';

const RECIPIENT: Address = '0x00000000000000000000000000000000000C0111';
const feeRefused = encodeErrorResult({ abi: ROUTER_ABI, errorName: 'FeeRefused', args: [RECIPIENT] });
const unexpected = encodeErrorResult({ abi: ROUTER_ABI, errorName: 'UnexpectedAmount', args: [99n, 100n] });
const changed = encodeErrorResult({ abi: ROUTER_ABI, errorName: 'BalanceChanged', args: [RECIPIENT] });
const tooLittle = encodeErrorResult({ abi: ROUTER_ABI, errorName: 'TooLittleReceived', args: [99n, 100n] });

it('names the recipient whose fee a token refuses, and none for other reverts', () => {
  const reverts = [feeRefused, unexpected, tooLittle, '0x', '0x08c379a0'] as const;
  expect(reverts.map(refusedRecipient)).toEqual([RECIPIENT, undefined, undefined, undefined, undefined]);
});

it('takes only tokens that move other amounts as unfit: a missed minimum is no reason to go on without one', () => {
  const reverts = [unexpected, changed, tooLittle, feeRefused, '0x', '0xdeadbeef'] as const;
  expect(reverts.map(isUnfit)).toEqual([true, true, false, false, false, false]);
});
