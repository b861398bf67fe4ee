import { z } from 'zod';
import { validationError } from '../errors/validation';
import { createFieldReader, type FieldReader, type RawFields } from '../errors/field-reader';
import { parseOutput } from '../quotes/request/parse-output';
import { parseWebhookUrl } from '../quotes/request/parse-quote-request';
import { parseAnyWallet } from '../quotes/request/parse-swap-addresses';
import type { Output } from '../quotes/request/swap-intent';
import type { WebhookUrlPolicy } from '../webhooks/webhook-url-problem';

/** A request to execute a quote whose every field is well-formed. */
export interface BytecodeRequest {
  readonly quoteId: string;
  /** `undefined` when money is paid into the chains, and nobody says whose. */
  readonly originAddress: string | undefined;
  /** `undefined` when money is paid out of the chains. */
  readonly destinationAddress: string | undefined;
  readonly pixKey: string | undefined;
  readonly thirdParty: boolean;
  readonly output: Output;
  /** Account of the custody vault; only with the output `custody`. */
  readonly accountId: string | undefined;
  readonly webhookUrl: string | undefined;
}

const MAX_PIX_KEY_LENGTH = 512;

/** @throws VALIDATION_ERROR naming every malformed field at once */
export function parseBytecodeRequest(fields: RawFields, webhookUrls: WebhookUrlPolicy): BytecodeRequest {
  const reader = createFieldReader(fields);
  if (!reader.has('quoteId')) reader.problem('quoteId', 'is required');
  const quoteId = reader.parsed('quoteId', (text) => z.uuid().safeParse(text).data?.toLowerCase(), 'must be a UUID');
  const originAddress = parseAnyWallet(reader, 'originAddress');
  const pixKey = reader.text('pixKey', MAX_PIX_KEY_LENGTH);
  // Beside a Pix key clients repeat it as the destination, which is then not an address.
  const destinationAddress = pixKey === undefined ? parseAnyWallet(reader, 'destinationAddress') : undefined;
  const choice = parseOutput(reader, { origin: undefined });
  const thirdParty = reader.flag('thirdParty');
  const webhookUrl = parseWebhookUrl(reader, webhookUrls);
  refuseMissingWallets(reader);
  if (reader.issues.length > 0 || quoteId === undefined) throw validationError(reader.issues);
  return { quoteId, originAddress, destinationAddress, pixKey, thirdParty, ...choice, webhookUrl };
}

/**
 * Where money comes from and goes to depends on the quote: without other problems, it decides what is needed. Only what is
 * paid into the chains, to a wallet, may come from none.
 */
function refuseMissingWallets(reader: FieldReader): void {
  const isNowhere = !reader.has('pixKey') && !reader.has('destinationAddress');
  const maySkipOrigin = reader.issues.length === 0 && !isNowhere && !reader.has('pixKey');
  if (!reader.has('originAddress') && !maySkipOrigin) reader.problem('originAddress', 'is required');
  if (reader.issues.length > 0 && isNowhere)
    reader.problem('destinationAddress', 'is required, or pixKey in its place');
}
