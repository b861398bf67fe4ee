import { bringsOutput, isDelivery, netReceived, spendsInput } from './moved-tokens';

type Step = Parameters<typeof spendsInput>[0];
const step = (changes: Partial<Omit<Step, 'action'>>, action: Partial<Step['action']> = {}): Step => ({
  stepIndex: 0,
  kind: 'SWAP',
  chainId: 1,
  isFee: false,
  isLast: true,
  ...changes,
  action: { chainIdIn: 1, chainIdOut: 1, hasFee: false, amountIn: 100n, ...action },
});

describe('a step', () => {
  it('that is the only one takes what the action spends, and brings what it buys', () => {
    const only = step({});
    expect([spendsInput(only), bringsOutput(only), isDelivery(only)]).toEqual([true, true, false]);
  });

  it('before another one on the same chain brings nothing yet', () => {
    const swap = step({ isLast: false });
    expect([spendsInput(swap), bringsOutput(swap)]).toEqual([true, false]);
    const deposit = step({ stepIndex: 1, kind: 'DEPOSIT' });
    expect([spendsInput(deposit), bringsOutput(deposit), isDelivery(deposit)]).toEqual([false, true, false]);
  });

  it('that pays a fee takes only a part of the amount, as does the deposit of the rest', () => {
    const fee = step({ stepIndex: 1, kind: 'TRANSFER', isFee: true, isLast: false }, { hasFee: true });
    expect([spendsInput(fee), bringsOutput(fee)]).toEqual([false, false]);
    expect(spendsInput({ ...fee, stepIndex: 0 })).toBe(false);
    const deposit = step({ kind: 'DEPOSIT' }, { hasFee: true });
    expect([spendsInput(deposit), bringsOutput(deposit)]).toEqual([false, true]);
    expect(spendsInput(step({ kind: 'SWAP', isLast: false }, { hasFee: true }))).toBe(true);
    expect(spendsInput(step({ kind: 'DEPOSIT' }))).toBe(true);
    expect(spendsInput(step({ kind: 'TRANSFER' }))).toBe(true);
  });

  it('that claims a reward brings it, and takes nothing', () => {
    const claim = step({ kind: 'CLAIM' });
    expect([spendsInput(claim), bringsOutput(claim), isDelivery(claim)]).toEqual([false, true, false]);
  });

  it('that requests a deposit takes what the action spends, unless a fee takes a part of it', () => {
    const request = step({ kind: 'REQUEST' });
    expect([spendsInput(request), bringsOutput(request)]).toEqual([true, true]);
    expect(spendsInput(step({ kind: 'REQUEST' }, { hasFee: true }))).toBe(false);
  });

  it.each(['DEPOSIT', 'WITHDRAW'])('that claims a request takes nothing more (%s)', (kind) => {
    const claim = step({ kind }, { amountIn: 0n });
    expect([spendsInput(claim), bringsOutput(claim)]).toEqual([false, true]);
  });

  it('that withdraws brings what the fees on its profit leave, and what follows it has paid them already', () => {
    const fees = { hasFee: true, profitFee: 15n };
    const withdrawal = { kind: 'WITHDRAW', isLast: true, action: fees };
    expect([netReceived(withdrawal, 115n), netReceived(withdrawal, 10n)]).toEqual([100n, 0n]);
    expect(netReceived(withdrawal, undefined)).toBeUndefined();
    expect(netReceived({ ...withdrawal, kind: 'SWAP' }, 115n)).toBe(115n);
    expect(netReceived({ ...withdrawal, kind: 'TRANSFER' }, 115n)).toBe(115n);
    expect(netReceived({ ...withdrawal, action: { ...fees, hasFee: false } }, 115n)).toBe(115n);
  });

  it('on the destination chain is a delivery', () => {
    const arrival = step({ stepIndex: 1, kind: 'BRIDGE', chainId: 2 }, { chainIdIn: 1, chainIdOut: 2 });
    expect([spendsInput(arrival), bringsOutput(arrival), isDelivery(arrival)]).toEqual([false, true, true]);
  });

  it('of the wallet, before or after a transfer between chains, is no delivery', () => {
    const chains = { chainIdIn: 1, chainIdOut: 2 };
    const sent = step({ stepIndex: 1, kind: 'BRIDGE', chainId: 1, isLast: false }, chains);
    expect([spendsInput(sent), bringsOutput(sent), isDelivery(sent)]).toEqual([false, false, false]);
    const deposit = step({ stepIndex: 2, kind: 'DEPOSIT', chainId: 2 }, chains);
    expect([spendsInput(deposit), bringsOutput(deposit), isDelivery(deposit)]).toEqual([false, true, false]);
    const fee = step({ stepIndex: 3, kind: 'TRANSFER', chainId: 2, isFee: true, isLast: false }, chains);
    expect(isDelivery(fee)).toBe(false);
  });
});
