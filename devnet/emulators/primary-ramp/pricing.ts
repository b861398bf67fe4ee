import { randomUUID } from 'node:crypto';
import { invalidField, ApiError } from './api-error';
import type { Control } from './control';
import { CENT, decimalsOf, isFiat, MICRO, microText, parseMicro, RAMP_TOKENS } from './micro-amount';

/** A quote as it was given. Amounts are decimal text. */
export interface PricedQuote {
  readonly quoteToken: string;
  readonly accountId: string | undefined;
  readonly inputCurrency: string;
  readonly inputPaymentMethod: string;
  readonly inputAmount: string;
  readonly outputCurrency: string;
  readonly outputPaymentMethod: string;
  readonly outputAmount: string;
  readonly basePrice: string;
  readonly appliedFees: readonly object[];
  readonly expiresAt: number;
}

/** A quote as it is looked up: without what is the ramp's own affair. */
export const shownQuote = (quote: PricedQuote): object => ({ ...quote, accountId: undefined, expiresAt: undefined });

export interface QuoteService {
  quote(query: URLSearchParams): PricedQuote;
  /** @throws ApiError when the token is unknown or has expired */
  redeem(quoteToken: string): PricedQuote;
}

const LIFE_MS = 15_000;
const CONVERSION_BPS = 50n;
const BPS = 10_000n;
const GAS_FEE = 2n * CENT;
const BANK_FEES: Readonly<Record<string, bigint>> = { WIRE: 15n * MICRO, ACH: MICRO };
const SEND_METHODS = new Set(['PERMIT', 'TRANSFER']);
const CURRENCIES = new Set(['BRL', 'USD', ...RAMP_TOKENS]);
const FIAT_METHODS: Readonly<Record<string, readonly string[]>> = { BRL: ['PIX'], USD: ['ACH', 'WIRE'] };

const REALS = new Set(['BRL', 'BRLA', 'BRZ', 'BRS']);

const isReal = (currency: string): boolean => REALS.has(currency);

interface Sides {
  readonly from: string;
  readonly via: string;
  readonly to: string;
  readonly by: string;
}

/** Symbols of the tokens that the ramp deals in, by network. */
type Networks = ReadonlyMap<string, ReadonlySet<string>>;

export function openQuoteService(networks: Networks, control: Control): QuoteService {
  const quotes = new Map<string, PricedQuote>();
  return {
    quote(query) {
      const quote = price(readSides(query, networks), query, control);
      quotes.set(quote.quoteToken, quote);
      return quote;
    },
    redeem(quoteToken) {
      const quote = quotes.get(quoteToken);
      if (quote === undefined || quote.expiresAt < Date.now()) throw invalidField('quoteToken');
      return quote;
    },
  };
}

function readSides(query: URLSearchParams, networks: Networks): Sides {
  const given = (name: string): string => query.get(name) ?? '';
  const [from, via] = [given('inputCurrency'), given('inputPaymentMethod')];
  const [to, by] = [given('outputCurrency'), given('outputPaymentMethod')];
  if (!CURRENCIES.has(from)) throw invalidField('inputCurrency');
  if (!CURRENCIES.has(to)) throw invalidField('outputCurrency');
  const networksOf = (token: string) => [...networks].flatMap(([name, tokens]) => (tokens.has(token) ? [name] : []));
  const methods = (currency: string): readonly string[] =>
    FIAT_METHODS[currency] ?? ['INTERNAL', ...networksOf(currency)];
  if (!methods(from).includes(via)) throw invalidField('inputPaymentMethod');
  if (!methods(to).includes(by)) throw invalidField('outputPaymentMethod');
  const method = given('blockchainSendMethod');
  if (!isFiat(from) && !SEND_METHODS.has(method)) throw invalidField('blockchainSendMethod');
  return { from, via, to, by };
}

function price(sides: Sides, query: URLSearchParams, control: Control): PricedQuote {
  const [input, output] = [query.get('inputAmount'), query.get('outputAmount')];
  if ((input === null) === (output === null)) throw invalidField('inputAmount');
  checkBrCode(query.get('outputBrCode'), control);
  const fees = feesOf(sides);
  const rate = parseMicro(control.brlPerUsdc, 'brlPerUsdc');
  const convert = converter(sides, { ...fees, rate });
  const [amountIn, amountOut] =
    input === null
      ? exactOut(sides, convert, parseMicro(output ?? '', 'outputAmount'))
      : exactIn(sides, convert, input);
  const conversion = ((amountIn - fees.flat) * fees.conversionBps) / BPS;
  return {
    quoteToken: Buffer.from(randomUUID()).toString('base64url'),
    accountId: query.get('subAccountId') ?? undefined,
    inputCurrency: sides.from,
    inputPaymentMethod: sides.via,
    inputAmount: microText(amountIn, decimalsOf(sides.from)),
    outputCurrency: sides.to,
    outputPaymentMethod: sides.by,
    outputAmount: microText(amountOut, decimalsOf(sides.to)),
    basePrice: control.brlPerUsdc,
    appliedFees: [
      {
        type: 'Conversion Fee',
        description: '',
        amount: microText(conversion, 6),
        currency: sides.from,
        rebatable: false,
      },
      { type: fees.label, description: '', amount: microText(fees.flat, 6), currency: sides.from, rebatable: false },
    ],
    expiresAt: Date.now() + LIFE_MS,
  };
}

function checkBrCode(brCode: string | null, control: Control): void {
  if (brCode === null) return;
  if (control.brCodeStatus !== null) throw new ApiError(control.brCodeStatus, 'outputBrCode could not be read');
  if (!brCode.startsWith('000201')) throw invalidField('outputBrCode');
  if (control.expiredBrCodes.includes(brCode)) throw new ApiError(400, 'outputBrCode has expired');
}

interface Fees {
  readonly label: string;
  /** Taken off what goes in, first. */
  readonly flat: bigint;
  readonly conversionBps: bigint;
}

/** Gas where fiat becomes a token, the bank's charge where dollars are paid out, and a part of what is exchanged. */
function feesOf({ from, to, by }: Sides): Fees {
  const conversionBps = isReal(from) === isReal(to) ? 0n : CONVERSION_BPS;
  const flat = isFiat(from) && !isFiat(to) ? GAS_FEE : (BANK_FEES[by] ?? 0n);
  return { label: isFiat(to) ? 'Out Fee' : 'Gas Fee', flat, conversionBps };
}

type Convert = (amountIn: bigint) => bigint;

/** Rounded down to what the other side counts in. */
function converter({ from, to }: Sides, { flat, conversionBps, rate }: Fees & { readonly rate: bigint }): Convert {
  const step = isFiat(to) ? CENT : 1n;
  return (amountIn) => {
    if (amountIn <= flat) return 0n;
    const net = ((amountIn - flat) * (BPS - conversionBps)) / BPS;
    const out = isReal(from) === isReal(to) ? net : isReal(from) ? (net * MICRO) / rate : (net * rate) / MICRO;
    return (out / step) * step;
  };
}

function exactIn({ from }: Sides, convert: Convert, text: string): [bigint, bigint] {
  const amountIn = parseMicro(text, 'inputAmount');
  const out = convert(amountIn);
  if (out === 0n || (isFiat(from) && amountIn % CENT !== 0n)) throw invalidField('inputAmount');
  return [amountIn, out];
}

/** The least that goes in for it, found by halving: the way there is monotonic. */
function exactOut({ from, to }: Sides, convert: Convert, amountOut: bigint): [bigint, bigint] {
  if (amountOut === 0n || (isFiat(to) && amountOut % CENT !== 0n)) throw invalidField('outputAmount');
  const step = isFiat(from) ? CENT : 1n;
  let [low, high] = [0n, (amountOut * 100n + 100n * MICRO) / step];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (convert(middle * step) >= amountOut) high = middle;
    else low = middle + 1n;
  }
  return [low * step, amountOut];
}
