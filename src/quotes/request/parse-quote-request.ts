import type { ChainTable } from '../../chains/chain-table';
import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import { type BaseUnits, parseBaseUnits } from '../../money/base-units';
import { type PartsPerMillion, parseSlippage } from '../../money/slippage';
import { type WebhookUrlPolicy, webhookUrlProblem } from '../../webhooks/webhook-url-problem';
import { createFieldReader, type FieldReader, type RawFields } from '../../errors/field-reader';
import { DESTINATION, ORIGIN, parseChain } from './parse-chains';
import { parseOutput } from './parse-output';
import { parsePayout } from './parse-payout';
import { parseRecipient, parseToken, parseWallet } from './parse-swap-addresses';
import { sponsorshipProblem } from './sponsored-route';
import { isExecutable, type SwapIntent } from './swap-intent';
import { TRANSFER_SPEEDS } from '../../venues/quote-provider';

const DEFAULT_SLIPPAGE = 5000n as PartsPerMillion;
/** Bounds of the price impact that a caller allows: none, and the whole value. */
const PRICE_IMPACT_BPS = { minimum: 0, maximum: 10_000 };
const DECIMAL = /^-?(?=[0-9.])(?:0|[1-9][0-9]{0,19})?(?:\.[0-9]{1,36})?$/;

export interface ParseDeps {
  readonly chains: ChainTable;
  readonly webhookUrls: WebhookUrlPolicy;
}

/**
 * Validates the arguments of a quote, as far as possible without a lookup.
 *
 * @throws VALIDATION_ERROR that names every malformed parameter at once. When all are well-formed:
 * INVALID_AMOUNT_PARAMS, MISSING_AMOUNT_PARAMS, INVALID_SLIPPAGE.
 */
export function parseQuoteRequest(deps: ParseDeps, fields: RawFields): SwapIntent {
  const reader = createFieldReader(fields);
  const route = parseRoute(reader, deps.chains);
  const parties = parseParties(reader, route);
  const amounts = parseAmounts(reader);
  const slippage = parseSlippageText(reader);
  const options = {
    ...parseOutput(reader, { origin: route.origin }),
    feeSponsorship: reader.flag('feeSponsorship'),
    preferredProvider: reader.text('preferredProvider', 64),
    // Without a maximum: routes between tokens ignore it, and on all others a text that names no ramp is an unknown ramp.
    rampProvider: reader.text('rampProvider', Number.MAX_SAFE_INTEGER),
    transferSpeed: reader.oneOf('transferSpeed', TRANSFER_SPEEDS),
    maxPriceImpactBps: reader.integer('maxPriceImpactBps', PRICE_IMPACT_BPS),
    webhookUrl: parseWebhookUrl(reader, deps.webhookUrls),
  };
  // Without both addresses nothing is built, and `output` has no effect.
  if (options.feeSponsorship && isExecutable(parties)) checkSponsoredOutput(reader, { ...route, ...options });
  const { origin, destination, tokenIn, tokenOut } = route;
  if (reader.issues.length > 0 || !origin || !destination || !tokenIn || !tokenOut)
    throw validationError(reader.issues);
  const checked = { ...exactlyOne(amounts), slippage: slippageInRange(slippage) };
  return { origin, destination, tokenIn, tokenOut, ...parties, ...checked, ...options };
}

/** Only a user operation has a paymaster. A route without sponsorship is refused later: another output would not help. */
function checkSponsoredOutput(
  reader: FieldReader,
  { origin, destination, output }: ReturnType<typeof parseRoute> & Pick<SwapIntent, 'output'>,
): void {
  if (origin === undefined || destination === undefined || output === 'userOperation') return;
  if (sponsorshipProblem({ origin, destination }) !== undefined) return;
  reader.addIssue('output', 'must be userOperation when feeSponsorship is true');
}

function parseRoute(reader: FieldReader, chains: ChainTable) {
  const origin = parseChain(reader, chains, ORIGIN);
  const destination = parseChain(reader, chains, DESTINATION);
  const tokenIn = parseToken(reader, 'tokenIn', origin);
  const tokenOut = parseToken(reader, 'tokenOut', destination);
  const sameToken = tokenIn !== undefined && tokenIn.address === tokenOut?.address;
  if (sameToken && origin?.chainId === destination?.chainId) reader.addIssue('tokenOut', 'must differ from tokenIn');
  return { origin, destination, tokenIn, tokenOut };
}

function parseParties(reader: FieldReader, { origin, destination, tokenIn, tokenOut }: ReturnType<typeof parseRoute>) {
  const payout = parsePayout(reader, { destination, tokenOut: tokenOut?.address });
  return {
    ...payout,
    originAddress: parseWallet(reader, 'originAddress', origin),
    // A payout names a Pix key or bank account. Clients may repeat the Pix key here; it is not an address.
    destinationAddress:
      destination?.kind === 'fiat'
        ? undefined
        : parseRecipient(reader, 'destinationAddress', { chain: destination, token: tokenOut }),
    refundAddress: parseRecipient(reader, 'refundAddress', { chain: origin, token: tokenIn }),
    thirdParty: reader.flag('thirdParty'),
  };
}

interface Amounts {
  readonly amountIn: BaseUnits | undefined;
  readonly amountOut: BaseUnits | undefined;
}

const parseAmounts = (reader: FieldReader): Amounts => ({
  amountIn: parseAmount(reader, 'amountIn'),
  amountOut: parseAmount(reader, 'amountOut'),
});

/** Reads a positive amount in base units. */
export function parseAmount(reader: FieldReader, parameter: string): BaseUnits | undefined {
  const amount = reader.parsed(
    parameter,
    parseBaseUnits,
    'must be an amount in the smallest unit: decimal digits, at most 2^256 - 1',
  );
  if (amount === 0n) reader.addIssue(parameter, 'must be greater than zero');
  return amount;
}

function exactlyOne({ amountIn, amountOut }: Amounts): Pick<SwapIntent, 'side' | 'amount'> {
  if (amountIn !== undefined && amountOut !== undefined) throw serviceError('INVALID_AMOUNT_PARAMS');
  if (amountIn !== undefined) return { side: 'in', amount: amountIn };
  if (amountOut !== undefined) return { side: 'out', amount: amountOut };
  throw serviceError('MISSING_AMOUNT_PARAMS');
}

/** Reads `slippage`. Its bounds are checked by `assertSlippage`, once all fields are well-formed. */
export const parseSlippageText = (reader: FieldReader): string | undefined =>
  reader.parsed('slippage', (text) => DECIMAL.exec(text)?.[0], 'must be a decimal fraction of 1 such as 0.005');

/** @throws INVALID_SLIPPAGE */
export const assertSlippage = (text: string | undefined): void => {
  slippageInRange(text);
};

function slippageInRange(text: string | undefined): PartsPerMillion {
  const slippage = text === undefined ? DEFAULT_SLIPPAGE : parseSlippage(text);
  if (slippage === undefined) throw serviceError('INVALID_SLIPPAGE', { slippage: text ?? '' });
  return slippage;
}

/** Reads the webhook endpoint in `webhookURL`. */
export function parseWebhookUrl(reader: FieldReader, policy: WebhookUrlPolicy): string | undefined {
  const text = reader.text('webhookURL', Number.MAX_SAFE_INTEGER);
  const problem = text === undefined ? undefined : webhookUrlProblem(text, policy);
  if (problem !== undefined) reader.addIssue('webhookURL', problem);
  return text;
}
