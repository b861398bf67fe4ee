import { parseUnits } from 'viem';
import { approvedPerson } from './approved-person';
import type { Demo } from './demo';
import { CHAIN, demonstrateOffRamp } from './ramp-demo';

const PIX_KEY = 'ana.lima@example.com';

/** Pays BRLA, USDC and WETH out to a bank in Brazil by Pix; then a payout that fails and is refunded. */
export async function demonstratePixOffRamp(demo: Demo): Promise<void> {
  const { address: walletAddress } = demo.wallet(CHAIN);
  console.log(`Verifying the person with the wallet ${walletAddress} (a few seconds)`);
  console.log(`  approved: ${await approvedPerson(demo.api, { walletAddress })}`);
  const brla = { symbol: 'BRLA', decimals: 18, amountIn: parseUnits('100', 18) } as const;
  const usdc = { symbol: 'USDC', decimals: 6, amountIn: parseUnits('20', 6) } as const;
  const weth = { symbol: 'WETH', decimals: 18, amountIn: parseUnits('0.01', 18) } as const;
  const reais = { currency: 'BRL', payout: { pixKey: PIX_KEY } } as const;
  await demonstrateOffRamp(demo, { ...brla, ...reais });
  await demonstrateOffRamp(demo, { ...usdc, ...reais });
  await demonstrateOffRamp(demo, { ...weth, ...reais });
  await demo.control('primaryRamp', '/_control', { payouts: 'fail' });
  try {
    await demonstrateOffRamp(demo, { ...brla, ...reais }, 'REFUNDED');
  } finally {
    await demo.control('primaryRamp', '/_control', { payouts: 'pay' });
  }
}
