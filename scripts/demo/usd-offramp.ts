import { parseUnits } from 'viem';
import { approvedPerson, unlockedDollars } from './approved-person';
import type { Demo } from './demo';
import { BANK_FIELDS } from './person-evidence';
import { CHAIN, demonstrateOffRamp } from './ramp-demo';

/** Pays USDC out to a bank in the United States, by wire and by ACH; then a wire that fails and is refunded. */
export async function demonstrateUsdOffRamp(demo: Demo): Promise<void> {
  const { address: walletAddress } = demo.wallet(CHAIN);
  console.log(`Verifying the person with the wallet ${walletAddress} (a few seconds), and unlocking dollars`);
  const kycUserId = await approvedPerson(demo.api, { walletAddress });
  await unlockedDollars(demo.api, { kycUserId });
  console.log(`  approved: ${kycUserId}, with a bank account`);
  const order = { symbol: 'USDC', decimals: 6, amountIn: parseUnits('150', 6), currency: 'USD' } as const;
  await demonstrateOffRamp(demo, { ...order, payout: { ...BANK_FIELDS } });
  await demonstrateOffRamp(demo, { ...order, payout: { ...BANK_FIELDS, usdPaymentMethod: 'ACH' } });
  await demo.control('primaryRamp', '/_control', { payouts: 'fail' });
  try {
    await demonstrateOffRamp(demo, { ...order, payout: { ...BANK_FIELDS } }, 'REFUNDED');
  } finally {
    await demo.control('primaryRamp', '/_control', { payouts: 'pay' });
  }
}
