import type { Hex } from 'viem';
import { z } from 'zod';
import { serviceError, type ServiceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { UpstreamError } from '../../../http/upstream-error';
import { type BurnMessage, decodeBurnMessage, isAttestationOf } from './burn-message';
import { parseFeeRate } from './fee-rate';
import type { CctpRoute } from './cctp-route';
import type { FeeRates } from './transfer-amounts';

/** Finality thresholds of the protocol. */
export const FINALITY = { fast: 1000, standard: 2000 } as const;

const feeRows = z.array(z.object({ finalityThreshold: z.int(), minimumFee: z.union([z.number(), z.string()]) }));
/** The documented list, or the same list inside `data`, which one client has received. */
const feesResponse = z.union([feeRows, z.object({ data: feeRows }).transform(({ data }) => data)]);

/**
 * The current fees of a route; `undefined` when the service does not support the route.
 *
 * @throws UpstreamError
 * @see https://developers.circle.com/api-reference/cctp/all/get-burn-usdc-fees
 */
export async function fetchFeeRates(
  http: Pick<HttpClient, 'get'>,
  { origin, destination }: CctpRoute,
  signal: AbortSignal,
): Promise<FeeRates | undefined> {
  const path = `/v2/burn/USDC/fees/${origin.cctp.domain}/${destination.cctp.domain}`;
  const body = await http.get(path, {}, signal).catch(undefinedFor([400, 404]));
  if (body === undefined) return undefined;
  const rows = parsed(feesResponse, body);
  const rateAt = (threshold: number) => {
    const row = rows.find(({ finalityThreshold }) => finalityThreshold === threshold);
    return row === undefined ? undefined : rateOf(row.minimumFee);
  };
  const [fast, standard] = [rateAt(FINALITY.fast), rateAt(FINALITY.standard)];
  if (standard === undefined) throw unreadable('it has no fee for standard transfers');
  return { fast, standard };
}

function rateOf(basisPoints: number | string) {
  const rate = parseFeeRate(basisPoints);
  if (rate === undefined) throw unreadable('its fee is not a share of the amount');
  return rate;
}

const messagesResponse = z.object({
  messages: z.array(
    z.object({
      status: z.string(),
      /** `0x` or null until it is attested. */
      message: z.string().nullish(),
      /** `PENDING` or null until it is attested. */
      attestation: z.string().nullish(),
    }),
  ),
});
type WireMessage = z.infer<typeof messagesResponse>['messages'][number];

/** A burn with the attesters' signatures, which complete the transfer. */
export interface AttestedBurn {
  readonly burn: BurnMessage;
  readonly message: Hex;
  readonly attestation: Hex;
}

const SIGNATURES = /^0x(?:[0-9a-fA-F]{130}){1,32}$/;

/**
 * The attested form of a burn; `undefined` while there is none. Only a message that matches the burn on chain is accepted.
 *
 * @throws UpstreamError, and BRIDGE_API_ERROR when the response contains other messages than the transaction
 * @see https://developers.circle.com/api-reference/cctp/all/get-messages-v2
 */
export async function fetchAttestation(
  http: Pick<HttpClient, 'get'>,
  { sent, transactionHash }: { readonly sent: BurnMessage; readonly transactionHash: string },
  signal: AbortSignal,
): Promise<AttestedBurn | undefined> {
  const path = `/v2/messages/${sent.sourceDomain}`;
  // The service responds with 404 until it has indexed the burn.
  const body = await http.get(path, { transactionHash }, signal).catch(undefinedFor([404]));
  if (body === undefined) return undefined;
  const { messages } = parsed(messagesResponse, body);
  const complete = messages.flatMap((message) => attestedOf(message) ?? []);
  const own = complete.find(({ burn }) => burn !== undefined && isAttestationOf(burn, sent));
  if (own?.burn !== undefined) return { ...own, burn: own.burn };
  if (messages.length > 0 && complete.length === messages.length) throw foreignMessage();
  return undefined;
}

const foreignMessage = (): ServiceError =>
  serviceError('BRIDGE_API_ERROR', {}, { details: { reason: 'the attested message is not the message of the burn' } });

function attestedOf({ status, message, attestation }: WireMessage) {
  if (status !== 'complete' || !isLong(message) || !isSignatures(attestation)) return undefined;
  return { burn: decodeBurnMessage(message), message, attestation };
}

const isLong = (message: string | null | undefined): message is Hex =>
  typeof message === 'string' && message.startsWith('0x') && message.length > 2;

const isSignatures = (attestation: string | null | undefined): attestation is Hex =>
  typeof attestation === 'string' && SIGNATURES.test(attestation);

/**
 * Requests a new attestation of a burn whose fast attestation has expired; it is issued when the burn is final. Repeated
 * requests are rejected by the service, which is ignored.
 *
 * @throws UpstreamError
 * @see https://developers.circle.com/api-reference/cctp/all/reattest-message
 */
export async function requestReattestation(
  http: Pick<HttpClient, 'post'>,
  nonce: Hex,
  signal: AbortSignal,
): Promise<void> {
  await http.post(`/v2/reattest/${nonce}`, undefined, signal).catch(undefinedFor([400, 404, 409]));
}

const undefinedFor =
  (statuses: readonly number[]) =>
  (error: unknown): undefined => {
    if (error instanceof UpstreamError && error.status !== undefined && statuses.includes(error.status)) return;
    throw error;
  };

function parsed<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw unreadable('its response has an unexpected form', result.error);
}

const unreadable = (message: string, cause?: unknown) => new UpstreamError(message, { kind: 'unreadable', cause });
