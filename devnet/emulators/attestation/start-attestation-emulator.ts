import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CCTP_KEYS } from '../../cctp/cctp-contracts';
import { type EmulatorResponse, type EmulatorRoutes, type HttpEmulator, startHttpEmulator } from '../http-emulator';
import { type AttestedChain, type AttestedChainOptions, openAttestedChain } from './attested-chain';
import { createAttester } from './attester';
import { decodedMessage } from './burn-message';
import { controlRoutes, createControlState } from './control';
import { createFeeSchedule, type FeeSchedule } from './fee-schedule';
import { createMessageBook, type Entry, isFinalized, type MessageBook } from './message-book';

export interface AttestationEmulatorOptions {
  readonly chains: readonly AttestedChainOptions[];
  /** A free one when not given. */
  readonly port?: number;
  /** Keys that sign, all of them; those of the local chains when not given. */
  readonly attesterKeys?: readonly Hex[];
  /** Time from the first request for a burn until it is indexed, and until a fast one is attested. */
  readonly indexDelayMs?: number;
  readonly fastDelayMs?: number;
}

/**
 * Circle's attestation service for burns on the local chains. Fast burns are attested after about a second, others when
 * their chain has buried them. It keeps nothing: after a restart it attests requested burns again.
 *
 * Steered by `POST` to:
 * - `/_control/fees` `{ fast?, standard?, route?: { source, destination } }`: basis points from now on;
 * - `/_control/hold`, `/_control/release` `{ transactionHash? }`: held burns stay PENDING until they are released;
 * - `/_control/delay` `{ transactionHash?, reason }`: a fast burn waits for finality, with that `delayReason`;
 * - `/_control/expire` `{ transactionHash }`: its attestation expires and has to be requested again;
 * - `/_control/substitute` `{ transactionHash, message }`: another message is signed and handed out in its place;
 * - `/_control/reset`.
 *
 * @see https://developers.circle.com/api-reference/cctp/all/get-messages-v2
 */
export async function startAttestationEmulator(options: AttestationEmulatorOptions): Promise<HttpEmulator> {
  const { port, attesterKeys = CCTP_KEYS.attesters, indexDelayMs = 200, fastDelayMs = 1000 } = options;
  const chains = options.chains.flatMap((chain) => openAttestedChain(chain) ?? []);
  const fees = createFeeSchedule();
  const control = createControlState();
  const book = createMessageBook({ chains, fees, control, attest: createAttester(attesterKeys), fastDelayMs });
  const find = async (transactionHash: Hex): Promise<readonly Entry[]> =>
    (await Promise.all(chains.map((chain) => book.entriesOf(chain, transactionHash)))).flat();
  const routes = {
    ...serviceRoutes({ chains, fees, book, attesterKeys, indexDelayMs }),
    ...controlRoutes({ control, fees, book, find }),
  };
  return startHttpEmulator({
    routes,
    otherwise: () => refusal(404, 'Not Found'),
    ...(port === undefined ? {} : { port }),
  });
}

interface ServiceDeps {
  readonly chains: readonly AttestedChain[];
  readonly fees: FeeSchedule;
  readonly book: MessageBook;
  readonly attesterKeys: readonly Hex[];
  readonly indexDelayMs: number;
}

const TRANSACTION_HASH = /^0x[0-9a-fA-F]{64}$/;

function serviceRoutes({ chains, fees, book, attesterKeys, indexDelayMs }: ServiceDeps): EmulatorRoutes {
  const chainOf = (domain: string | undefined) => chains.find((chain) => String(chain.domain) === domain);
  return {
    'GET /v2/burn/USDC/fees/:source/:destination': ({ parameters }) => {
      const [source, destination] = [chainOf(parameters['source']), chainOf(parameters['destination'])];
      if (source === undefined || destination === undefined) return refusal(400, 'Invalid domain');
      if (source === destination) return refusal(400, 'Source and destination are the same');
      const { fast, standard } = fees.of(source.domain, destination.domain);
      const rows = [{ finalityThreshold: 2000, minimumFee: standard }];
      return { body: source.fastSource ? [{ finalityThreshold: 1000, minimumFee: fast }, ...rows] : rows };
    },
    'GET /v2/messages/:domain': async ({ parameters, query }) => {
      const source = chainOf(parameters['domain']);
      const transactionHash = query.get('transactionHash') ?? '';
      if (source === undefined) return refusal(400, 'Invalid source domain');
      if (!TRANSACTION_HASH.test(transactionHash)) return refusal(400, 'Invalid transaction hash');
      // The time of the request, so that the first one for a burn does not find it, however long its response takes.
      const requestedAt = Date.now();
      const entries = await book.entriesOf(source, transactionHash.toLowerCase() as Hex);
      const known = entries.filter(({ seenAt }) => requestedAt >= seenAt + indexDelayMs);
      return known.length === 0 ? refusal(404, 'Message not found') : { body: { messages: known.map(entryView) } };
    },
    'POST /v2/reattest/:nonce': ({ parameters }) => reattest(book, parameters['nonce'] ?? ''),
    'GET /v2/publicKeys': () => ({
      body: {
        publicKeys: attesterKeys.map((key) => ({ publicKey: privateKeyToAccount(key).publicKey, cctpVersion: 2 })),
      },
    }),
  };
}

function reattest(book: MessageBook, nonce: string): EmulatorResponse {
  const entry = book.byNonce(nonce as Hex);
  if (entry === undefined) return refusal(404, 'Nonce not found');
  // What is pending is called finalized too: the service has been seen to contradict itself like this.
  if (entry.attested === undefined || isFinalized(entry)) return refusal(400, 'Message is already finalized');
  entry.reattesting = true;
  return { body: { message: 'Re-attestation successfully requested for nonce.', nonce: entry.nonce } };
}

function entryView({ nonce, attested, delayReason }: Entry): object {
  const shared = { eventNonce: nonce, cctpVersion: 2, delayReason: delayReason ?? null };
  if (attested === undefined) {
    return { ...shared, message: '0x', attestation: 'PENDING', decodedMessage: null, status: 'pending_confirmations' };
  }
  return { ...shared, ...attested, decodedMessage: decodedMessage(attested.message), status: 'complete' };
}

const refusal = (code: number, error: string): EmulatorResponse => ({ status: code, body: { code, error } });
