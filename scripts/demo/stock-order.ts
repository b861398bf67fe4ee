import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';
import { callsSchema } from './wallet';

const SLUG = 'devnet';
const STRATEGY = 'Acme-ACMEon-devnet';
const ISSUER = 'tokenizedStock';
/** 1,000 USDT. */
const DOLLARS = '1000000000';

const orderSchema = z.object({
  id: z.string(),
  expected: z.object({ humanized: z.string(), symbol: z.string() }),
  quote: z.object({ spotPriceUsd: z.number(), clientLimitPriceUsd: z.number().optional() }),
  bytecode: callsSchema,
});
const statusSchema = z.object({
  actions: z.array(
    z.object({
      id: z.string(),
      suw: z.object({
        singleUseAddress: z.string(),
        order: z.object({ status: z.string(), orderUid: z.string().optional(), posted: z.boolean() }),
      }),
    }),
  ),
});

type Order = z.infer<typeof orderSchema>;

const path = (route: string): string => `/strategies/${STRATEGY}/${route}`;

async function placeOrder(demo: Demo, query: Readonly<Record<string, string>>): Promise<Order> {
  const { address } = demo.wallet(SLUG);
  const order = orderSchema.parse(await demo.api.get(path('bytecode'), { wallet: address, ...query }));
  const { id, expected, quote } = order;
  const limit = quote.clientLimitPriceUsd;
  const at = limit === undefined ? `the price of the market` : `at most $${String(limit)}`;
  console.log(`  action ${id}: ${expected.humanized} ${expected.symbol} for ${at}, now $${String(quote.spotPriceUsd)}`);
  return order;
}

/** Buys a tokenized stock for 1,000 USDT at the price of the market, then sells all of it. */
export async function demonstrateStockOrder(demo: Demo): Promise<void> {
  console.log('\nBuying a tokenized stock for 1,000 USDT, and selling it');
  await demo.control(ISSUER, '/_control', { solver: 'settle', price: '200' });
  const wallet = demo.wallet(SLUG);
  const dollars = demo.evmToken(SLUG, 'USDT');
  const before = await wallet.balanceOf(dollars);
  for (const query of [
    { action: 'request-lend', amount: DOLLARS },
    { action: 'request-withdraw', amount: 'max' },
  ]) {
    const { id, bytecode } = await placeOrder(demo, query);
    await sendAndFollow({ api: demo.api, id }, () => wallet.send(bytecode));
  }
  const lost = before - (await wallet.balanceOf(dollars));
  if (lost < 0n || lost > 1n) throw new InvariantError(`the wallet has lost ${lost.toString()} base units of USDT`);
}

/** Places an order below the price of the market, cancels it, and has the USDT back. */
export async function demonstrateStockCancel(demo: Demo): Promise<void> {
  console.log('\nPlacing an order for a tokenized stock at $150, and cancelling it');
  await demo.control(ISSUER, '/_control', { solver: 'settle', price: '200' });
  const wallet = demo.wallet(SLUG);
  const dollars = demo.evmToken(SLUG, 'USDT');
  const before = await wallet.balanceOf(dollars);
  const { id, bytecode } = await placeOrder(demo, { action: 'request-lend', amount: DOLLARS, priceInUsd: '15000' });
  await sendAndFollow({ api: demo.api, id, expected: 'REFUNDED' }, async () => {
    await wallet.send(bytecode);
    await untilOpen(demo, id);
    await demo.api.get(`/actions/${id}/cancel`, { wallet: wallet.address });
    console.log('  cancelled');
  });
  await untilBack(() => wallet.balanceOf(dollars), before);
  console.log('  the USDT are back in the wallet');
}

const TIMEOUT_MS = 60_000;
const POLL_MS = 500;

async function untilOpen(demo: Demo, id: string): Promise<void> {
  const { address } = demo.wallet(SLUG);
  await until('the order is open', async () => {
    const { actions } = statusSchema.parse(await demo.api.get(path('status'), { wallet: address }));
    const suw = actions.find((action) => action.id === id)?.suw;
    if (suw?.order.status !== 'OPEN') return false;
    console.log(`  order ${suw.order.orderUid ?? ''} of the wallet ${suw.singleUseAddress} is open`);
    return true;
  });
}

const untilBack = (balance: () => Promise<bigint>, before: bigint): Promise<void> =>
  until('the tokens are back', async () => (await balance()) === before);

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new InvariantError(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
