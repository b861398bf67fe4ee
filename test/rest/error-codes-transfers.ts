import { setTimeout as wait } from 'node:timers/promises';
import { createTestClient, type Hex, http } from 'viem';
import type { CATALOG_TABLES } from '../../src/errors/catalog';
import type { RestResponse } from '../setup/running-service';
import {
  afterThePriceMoved,
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
  well,
} from './error-codes-cases';
import { newWallet } from './error-codes-wallet';
import { type Ask, type ErrorWorld, steerBitcoin } from './error-codes-world';

type Tables = typeof CATALOG_TABLES;
type Code = keyof Tables['transfers'] | keyof Tables['general'];

const UNKNOWN_HASH: Hex = `0x${'ab'.repeat(32)}`;

/** The table "transfers, bridges, transactions, general". */
export const TRANSFER_CASES: Readonly<Record<Code, ErrorCase>> = {
  TRANSFER_VALIDATION_FAILED: (world) =>
    transfer(world.healthy, world, {
      originAddress: RECIPIENT,
      destinationAddress: world.service.accounts[1]!.address,
    }),

  async INSUFFICIENT_AMOUNT_FOR_REFUND(world) {
    const { id } = await deposited(world, '300');
    return requestRefund(world.crippled, id);
  },

  async REFUND_PROCESSING_FAILED(world) {
    const { id } = await deposited(world, '90000');
    await steerBitcoin(world.bitcoin, 'refuse');
    try {
      return await requestRefund(world.crippled, id);
    } finally {
      await steerBitcoin(world.bitcoin, 'stall');
    }
  },

  async DEPOSIT_NOT_FOUND({ healthy, service }) {
    const id = await quoteId(healthy, bitcoinSwap(service));
    return healthy(`/v2/swap/status/${id}?btcTxHash=${'ab'.repeat(32)}`);
  },

  BRIDGE_API_ERROR: ({ crippled, service }) => quote(crippled, transferBetween(service)),

  TX_UPDATE_FAILED: (world) => whileAnotherActionTakesTheTransaction(world),

  async TX_NOT_FOUND(world) {
    const { id } = await newTransfer(world, await newWallet(world.service, 'devnet-l2'));
    return report(world.healthy, id, UNKNOWN_HASH);
  },

  // The transaction before it is missing, so it waits.
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
    const { wallet, action } = await afterThePriceMoved(world);
    return report(world.healthy, action.id, await wallet.send([action.call]));
  },

  // What is stored is not what this version of the service reads.
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

  RATE_LIMITED: ({ crippled }) => untilRefused(crippled, { 'x-api-key': undefined, 'x-forwarded-for': '203.0.113.7' }),
};

/** One request a minute is let in: of three at most the first two are in different minutes. */
async function untilRefused(ask: Ask, headers: Readonly<Record<string, string | undefined>>): Promise<RestResponse> {
  const again = () => ask(`/actions?walletAddress=${RECIPIENT}`, { headers });
  let answer = await again();
  for (let tries = 1; tries < 3 && answer.status !== 429; tries++) answer = await again();
  return answer;
}

/** An action whose deposit address got so many satoshi, which the service knows. */
async function deposited({ crippled, service, bitcoin }: ErrorWorld, amount: string): Promise<{ readonly id: string }> {
  const offered = await quoteId(crippled, bitcoinSwap(service));
  const parties = { originAddress: BITCOIN_SENDER, destinationAddress: service.accounts[1]!.address };
  const { id, depositAddress } = well(await bytecode(crippled, { quoteId: offered, ...parties }));
  const body = JSON.stringify({ address: depositAddress, amount });
  const response = await fetch(`${bitcoin.esploraUrl}/_control/deposit`, { method: 'POST', body });
  const { txid } = (await response.json()) as { readonly txid: string };
  well(await crippled(`/v2/swap/status/${id}?btcTxHash=${txid}`));
  return { id };
}

const requestRefund = (ask: Ask, id: string): Promise<RestResponse> =>
  ask('/graphql', {
    body: { query: 'mutation ($id: UUID!) { requestRefund(id: $id) { id } }', variables: { id } },
  });

/**
 * Two actions claim the transaction in the same moment, and the other one is first. The tracker keeps out of it: nobody
 * but the caller looks for the call any more.
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
  const answer = await reported;
  await database.query(claim, [other.id, null]);
  return answer;
}

/** Until somebody waits for what the open transaction does. */
async function untilBlocked({ database }: ErrorWorld): Promise<void> {
  const blocked = `SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
  for (let tries = 0; tries < 400; tries++) {
    if ((await database.query(blocked)).rowCount !== 0) return;
    await wait(10);
  }
  throw new Error('nobody waits for the transaction');
}
