import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Demo } from './demo';
import { operate, SLUG } from './strategy-operation';

const STRATEGY = 'Requests-USDC-devnet';
/** The operator of the vault fulfils requests within seconds. */
const MAX_POLLS = 60;
const POLL_MS = 1000;

const amounts = z.array(z.object({ humanized: z.string(), symbol: z.string() }));
const detail = z.object({
  spotPosition: z.object({ requestedToLend: amounts, requestedToWithdraw: amounts, availableToClaim: amounts }),
});
type Spot = z.infer<typeof detail>['spotPosition'];

/** Requests a deposit of 100 USDC, claims it when the vault has fulfilled it, and takes everything back in the same way. */
export async function demonstrateLendRequest(demo: Demo): Promise<void> {
  console.log(`\nRequesting a deposit of 100 USDC into ${STRATEGY}, and its withdrawal`);
  const [usdc, wallet] = [demo.evmToken(SLUG, 'USDC'), demo.wallet(SLUG)];
  const before = await wallet.balanceOf(usdc);
  await operate(demo, { strategyId: STRATEGY }, { action: 'request-lend', amount: '100000000' });
  if (before - (await wallet.balanceOf(usdc)) !== 100_000_000n) throw new InvariantError('another amount was taken');
  await untilFulfilled(demo, 'requestedToLend');
  await operate(demo, { strategyId: STRATEGY }, { action: 'lend', amount: 'max' });
  await operate(demo, { strategyId: STRATEGY }, { action: 'request-withdraw', amount: 'max' });
  await untilFulfilled(demo, 'requestedToWithdraw');
  await operate(demo, { strategyId: STRATEGY }, { action: 'withdraw', amount: 'max' });
}

/** Polls the position until nothing is pending. */
async function untilFulfilled(demo: Demo, pending: 'requestedToLend' | 'requestedToWithdraw'): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    const spot = await readSpot(demo);
    const parts = spot[pending];
    if (parts.length === 0) {
      for (const { humanized, symbol } of spot.availableToClaim)
        console.log(`  can be claimed: ${humanized} ${symbol}`);
      return;
    }
    if (polls === 0) for (const { humanized, symbol } of parts) console.log(`  pending: ${humanized} ${symbol}`);
    await sleep(POLL_MS);
  }
  throw new InvariantError('the vault has not fulfilled the request');
}

async function readSpot(demo: Demo): Promise<Spot> {
  const { address } = demo.wallet(SLUG);
  return detail.parse(await demo.api.get(`/v2/strategies/${STRATEGY}`, { wallet: address })).spotPosition;
}
