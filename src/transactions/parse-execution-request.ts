import { z } from 'zod';
import { validationError } from '../errors/validation';
import { createFieldReader, type FieldReader, type RawFields } from '../errors/field-reader';
import { parseOutput } from '../quotes/request/parse-output';
import { parseWebhookUrl } from '../quotes/request/parse-quote-request';
import { parseAnyWallet } from '../quotes/request/parse-swap-addresses';
import type { Output } from '../quotes/request/swap-intent';
import type { WebhookUrlPolicy } from '../webhooks/webhook-url-problem';

/** A well-formed request to execute a quote. */
export interface ExecutionRequest {
  readonly quoteId: string;
  /** `undefined` for fiat payments when the request names no wallet. */
  readonly originAddress: string | undefined;
  /** `undefined` for payouts in fiat. */
  readonly destinationAddress: string | undefined;
  readonly pixKey: string | undefined;
  readonly thirdParty: boolean;
  readonly output: Output;
  /** Account of the custody vault. Only with the output `custody`. */
  readonly accountId: string | undefined;
  readonly webhookUrl: string | undefined;
}

const MAX_PIX_KEY_LENGTH = 512;

/** @throws VALIDATION_ERROR with all malformed fields at once */
export function parseExecutionRequest(fields: RawFields, webhookUrls: WebhookUrlPolicy): ExecutionRequest {
  const reader = createFieldReader(fields);
  if (!reader.has('quoteId')) reader.addIssue('quoteId', 'is required');
  const quoteId = reader.parsed('quoteId', (text) => z.guid().safeParse(text).data?.toLowerCase(), 'must be a UUID');
  const originAddress = parseAnyWallet(reader, 'originAddress');
  const pixKey = reader.text('pixKey', MAX_PIX_KEY_LENGTH);
  // Clients repeat the Pix key as destination, which is then not an address.
  const destinationAddress = pixKey === undefined ? parseAnyWallet(reader, 'destinationAddress') : undefined;
  const choice = parseOutput(reader, { origin: undefined });
  const thirdParty = reader.flag('thirdParty');
  const webhookUrl = parseWebhookUrl(reader, webhookUrls);
  reportMissingWallets(reader);
  if (reader.issues.length > 0 || quoteId === undefined) throw validationError(reader.issues);
  return { quoteId, originAddress, destinationAddress, pixKey, thirdParty, ...choice, webhookUrl };
}

/**
 * The required addresses depend on the quote, which is read only when the request has no other problem. `originAddress` may
 * be missing only for fiat payments to a wallet.
 */
function reportMissingWallets(reader: FieldReader): void {
  const hasNoDestination = !reader.has('pixKey') && !reader.has('destinationAddress');
  const mayOmitOrigin = reader.issues.length === 0 && !hasNoDestination && !reader.has('pixKey');
  if (!reader.has('originAddress') && !mayOmitOrigin) reader.addIssue('originAddress', 'is required');
  if (reader.issues.length > 0 && hasNoDestination)
    reader.addIssue('destinationAddress', 'is required, or pixKey instead');
}
