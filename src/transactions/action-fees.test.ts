import { usd } from '../../test/setup/usd';
import { actionFees } from './action-fees';

const line = (kind: string, dollars: string | undefined) => ({
  kind,
  amountRaw: '7',
  decimals: 6,
  symbol: 'USDC',
  amountInUSD: dollars === undefined ? undefined : usd(dollars),
});

describe('the fees of an action', () => {
  it('add up exactly, and count 0 without a plausible value', () => {
    const lines = [
      line('bridgeAndSlippage', '0.1'),
      line('bridgeAndSlippage', '0.2'),
      line('gas', '-0.000001'),
      line('gas', undefined),
      line('gas', '9'.repeat(20)),
    ];
    const { total, currency, breakdown } = actionFees(lines);
    expect([total, currency]).toEqual(['0.299999', 'USD']);
    const amounts = breakdown.map(({ amount }) => amount);
    expect(amounts).toEqual(['0.100000', '0.200000', '-0.000001', '0.000000', '0.000000']);
    expect(breakdown[0]).toEqual({
      type: 'bridgeAndSlippage',
      amount: '0.100000',
      currency: 'USD',
      token: 'USDC',
      tokenAmount: '7',
    });
  });

  it('are exact for large values', () => {
    const large = '123456789012345.678901';
    expect(actionFees([line('gas', large), line('gas', '0.000001')]).total).toBe('123456789012345.678902');
  });
});
