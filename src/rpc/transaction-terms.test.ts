import fc from 'fast-check';
import { type Hex, parseGwei } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { replacementTerms, feesOf, maxCost, type TransactionFees } from './transaction-terms';

const account = privateKeyToAccount(generatePrivateKey());
const TO = '0x00000000000000000000000000000000000A11cE';

function signed(fees: TransactionFees): Promise<Hex> {
  const call = { chainId: 1, nonce: 7, to: TO, data: '0x1234', value: 5n, gas: 21_000n } as const;
  if ('gasPrice' in fees) return account.signTransaction({ type: 'legacy', ...call, ...fees });
  return account.signTransaction({ type: 'eip1559', ...call, ...fees });
}

const price = fc.bigInt({ min: 1n, max: parseGwei('1000') });

describe('the terms of a transaction', () => {
  it('rise by at least an eighth, to at least the current fees, and never beyond a multiple of them', async () => {
    await fc.assert(
      fc.asyncProperty(price, price, price, async (base, tip, now) => {
        const fees = { maxFeePerGas: base + tip, maxPriorityFeePerGas: tip };
        const chain = { expectedFeePerGas: now, maxFeePerGas: now * 2n, maxPriorityFeePerGas: now };
        const terms = replacementTerms(await signed(fees), chain);
        if (terms === undefined) {
          expect((fees.maxFeePerGas * 9n) / 8n + 1n).toBeGreaterThanOrEqual(chain.maxFeePerGas * 10n);
          return;
        }
        const dearer =
          'gasPrice' in terms.fees
            ? { maxFeePerGas: terms.fees.gasPrice, maxPriorityFeePerGas: terms.fees.gasPrice }
            : terms.fees;
        expect(dearer.maxFeePerGas * 8n).toBeGreaterThanOrEqual(fees.maxFeePerGas * 9n);
        expect(dearer.maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(fees.maxPriorityFeePerGas * 9n);
        expect(dearer.maxFeePerGas).toBeGreaterThanOrEqual(chain.maxFeePerGas);
        expect(dearer.maxPriorityFeePerGas).toBeLessThanOrEqual(dearer.maxFeePerGas);
        expect(terms).toMatchObject({ data: '0x1234', value: 5n, gas: 21_000n });
      }),
      { numRuns: 60 },
    );
  });

  it('are legacy terms on a chain with only a gas price', async () => {
    const fees = feesOf({ maxFeePerGas: 10n, maxPriorityFeePerGas: 10n });
    expect(fees).toEqual({ gasPrice: 10n });
    expect(maxCost(await signed(fees))).toBe(5n + 210_000n);
    const now = { expectedFeePerGas: 10n, maxFeePerGas: 10n, maxPriorityFeePerGas: 10n };
    expect(replacementTerms(await signed(fees), now)).toMatchObject({ fees: { gasPrice: 12n } });
  });
});
