import { setTimeout as wait } from 'node:timers/promises';
import { createTestClient, type Hex, http } from 'viem';
import type { CATALOG_TABLES } from '../../src/errors/catalog';
import type { RestResponse } from '../setup/running-service';
import {
  prepareStaleSwaps,
  BITCOIN_SENDER,
  bitcoinSwap,
  bytecode,
  type ErrorCase,
  newTransfer,
  quote,
  quoteId,
  RECIPIENT,
  report,
  swapOn,
  transfer,
  transferBetween,
  successBody,
} from './error-codes-cases';
import { newWallet } from './error-codes-wallet';
import { type SendRequest, type ErrorWorld, setBitcoinMode } from './error-codes-world';

type Tables = typeof CATALOG_TABLES;
type Code = keyof Tables['transfers'] | keyof Tables['general'];

const UNKNOWN_HASH: Hex = `0x${'ab'.repeat(32)}`;

/** Cases for the tables "transfers, bridges, transactions, general". */
export const TRANSFER_CASES: Readonly<Record<Code, ErrorCase>> = {
  TRANSFER_VALIDATION_FAILED: (world) =>
    transfer(world.healthy, world, {
      originAddress: RECIPIENT,
      destinationAddress: world.service.accounts[1]!.address,
    }),

  async INSUFFICIENT_AMOUNT_FOR_REFUND(world) {
    const { id } = await deposited(world, '300');
    return requestRefund(world.degraded, id);
  },

  async REFUND_PROCESSING_FAILED(world) {
    const { id } = await deposited(world, '90000');
    await setBitcoinMode(world.bitcoin, 'refuse');
    try {
      return await requestRefund(world.degraded, id);
    } finally {
      await setBitcoinMode(world.bitcoin, 'stall');
    }
  },

  async DEPOSIT_NOT_FOUND({ healthy, service }) {
    const id = await quoteId(healthy, bitcoinSwap(service));
    return healthy(`/v2/swap/status/${id}?btcTxHash=${'ab'.repeat(32)}`);
  },

  BRIDGE_API_ERROR: ({ degraded, service }) => quote(degraded, transferBetween(service)),

  TX_UPDATE_FAILED: (world) => whileAnotherActionTakesTheTransaction(world),

  async TX_NOT_FOUND(world) {
    const { id } = await newTransfer(world, await newWallet(world.service, 'devnet-l2'));
    return report(world.healthy, id, UNKNOWN_HASH);
  },

  // Its nonce is one too high, so it stays pending.
  async TX_NOT_MINED(world) {
    const wallet = await newWallet(world.service, 'devnet-l2');
    const { id, call } = await newTransfer(world, wallet);
    const { raw, hash } = await wallet.sign(call, 1);
    await wallet.submit(raw);
    try {
      return await report(world.healthy, id, hash);
    } finally {
      const { rpcUrl } = world.service.chains.find(({ slug }) => slug === 'devnet-l2')!;
      await createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).dropTransaction({ hash });
    }
  },

  async TX_REVERTED(world) {
    const { wallet, action } = await prepareStaleSwaps(world);
    return report(world.healthy, action.id, await wallet.send([action.call]));
  },

  // The stored quote is unreadable.
  async INTERNAL_SERVER_ERROR({ healthy, service, database }) {
    const id = await quoteId(healthy, swapOn(service));
    await database.query(`UPDATE "Quote" SET view = '{}' WHERE id = $1`, [id]);
    return bytecode(healthy, { quoteId: id });
  },

  async RATE_LIMIT_EXCEEDED({ healthy, admin }) {
    const { id } = await admin('customer', 'create', '--name', 'hurried', '--per-minute', '1');
    const { key } = await admin('key', 'create', id);
    return untilRefused(healthy, { 'x-api-key': key });
  },

  RATE_LIMITED: ({ degraded }) => untilRefused(degraded, { 'x-api-key': undefined, 'x-forwarded-for': '203.0.113.7' }),
};

/** The limit is one request a minute. At least two of three requests are in the same minute. */
async function untilRefused(
  send: SendRequest,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<RestResponse> {
  const sendAgain = () => send(`/actions?walletAddress=${RECIPIENT}`, { headers });
  let response = await sendAgain();
  for (let tries = 1; tries < 3 && response.status !== 429; tries++) response = await sendAgain();
  return response;
}

/** An action with a deposit of `amount` satoshi that the service has registered. */
async function deposited({ degraded, service, bitcoin }: ErrorWorld, amount: string): Promise<{ readonly id: string }> {
  const offered = await quoteId(degraded, bitcoinSwap(service));
  const parties = { originAddress: BITCOIN_SENDER, destinationAddress: service.accounts[1]!.address };
  const { id, depositAddress } = successBody(await bytecode(degraded, { quoteId: offered, ...parties }));
  const body = JSON.stringify({ address: depositAddress, amount });
  const response = await fetch(`${bitcoin.esploraUrl}/_control/deposit`, { method: 'POST', body });
  const { txid } = (await response.json()) as { readonly txid: string };
  successBody(await degraded(`/v2/swap/status/${id}?btcTxHash=${txid}`));
  return { id };
}

const requestRefund = (send: SendRequest, id: string): Promise<RestResponse> =>
  send('/graphql', {
    body: { query: 'mutation ($id: UUID!) { requestRefund(id: $id) { id } }', variables: { id } },
  });

/**
 * Reports a transaction while another action claims it first. The calls are closed, so that the tracker does not search
 * for them.
 */
async function whileAnotherActionTakesTheTransaction(world: ErrorWorld): Promise<RestResponse> {
  const { healthy, service, database } = world;
  const wallet = await newWallet(service, 'devnet-l2');
  const [mine, other] = [await newTransfer(world, wallet), await newTransfer(world, wallet)];
  await database.query(`UPDATE "ActionCall" SET open = false WHERE "actionId" = ANY($1)`, [[mine.id, other.id]]);
  const { raw, hash } = await wallet.sign(mine.call);
  await wallet.submit(raw);
  await wallet.reader.waitForTransactionReceipt({ hash });
  const claim = `UPDATE "ActionStep" SET "txHash" = $2 WHERE "actionId" = $1 AND "stepIndex" = 0`;
  await database.query('BEGIN');
  await database.query(claim, [other.id, hash]);
  const reported = report(healthy, mine.id, hash);
  await untilBlocked(world);
  await database.query('COMMIT');
  const response = await reported;
  await database.query(claim, [other.id, null]);
  return response;
}

/** Waits until a connection is blocked by the open database transaction. */
async function untilBlocked({ database }: ErrorWorld): Promise<void> {
  const blocked = `SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
  for (let tries = 0; tries < 400; tries++) {
    if ((await database.query(blocked)).rowCount !== 0) return;
    await wait(10);
  }
  throw new Error('no connection waits for the transaction');
}
