import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ApiError, invalidField } from './api-error';
import { brCodeOf } from './br-code';
import type { Callbacks } from './callbacks';
import type { Control } from './control';
import { isFiat, parseMicro } from './micro-amount';
import type { PayingChain } from './paying-chain';
import type { PricedQuote, QuoteService } from './pricing';
import { book, type StoredTicket, type SubAccount, walletOf, type EmulatorState } from './emulator-state';

export interface TicketServiceDeps {
  readonly state: EmulatorState;
  readonly control: Control;
  readonly quotes: QuoteService;
  readonly callbacks: Callbacks;
  /** By their name at the ramp. */
  readonly chains: ReadonlyMap<string, PayingChain>;
  readonly log: (line: string) => void;
}

const beneficiary = z.object({ beneficiaryUsdBankAccountId: z.string() });
const ticketBody = z.object({
  quoteToken: z.string(),
  externalId: z.string().max(100).default(''),
  customDuration: z.int().min(1).max(259_200).default(1800),
  ticketBrlPixInput: z.object({ additionalData: z.string().optional() }).optional(),
  ticketUsdWireInput: z.object({}).optional(),
  ticketUsdInput: z.object({}).optional(),
  ticketBlockchainOutput: z.object({ walletChain: z.string(), walletAddress: z.string() }).optional(),
  ticketBrlPixOutput: z.object({ pixKey: z.string().min(1).optional() }).optional(),
  ticketUsdOutput: beneficiary.optional(),
  ticketUsdWireOutput: beneficiary.optional(),
});
type TicketBody = z.output<typeof ticketBody>;

const PIX_KEY = '7d9f0335-8dcc-4054-9bf9-0dbd61d36906';

function readBody(body: unknown): TicketBody {
  const parsed = ticketBody.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidField(parsed.error.issues[0]?.path.join('.') ?? 'body');
}

/** Millionths that a person has, in the wallet and in the books. */
export async function balanceOf({ chains }: TicketServiceDeps, account: SubAccount, currency: string): Promise<bigint> {
  const held = await Promise.all(
    [...chains.values()].map((chain) => chain.balanceOf(currency, walletOf(account, chain.walletKind))),
  );
  return held.reduce((sum, each) => sum + each, BigInt(account.booked[currency] ?? '0'));
}

/** Creates a ticket and debits the person's account. @throws ApiError */
export async function newTicket(parts: TicketServiceDeps, account: SubAccount, input: unknown): Promise<StoredTicket> {
  const body = readBody(input);
  const quote = parts.quotes.redeem(body.quoteToken);
  if (quote.accountId !== account.id) throw new ApiError(404, 'quote of another account');
  if (!account.confirmed) throw new ApiError(403, 'account is not identified');
  const ends = { ...inputOf(quote, body), ...outputOf({ account, quote, parts }, body) };
  useLimit(parts.control, account, quote);
  if (quote.inputPaymentMethod === 'INTERNAL') {
    const amount = parseMicro(quote.inputAmount, 'inputAmount');
    if ((await balanceOf(parts, account, quote.inputCurrency)) < amount)
      throw new ApiError(400, 'insufficient balance');
    book(account, quote.inputCurrency, -amount);
  }
  const now = new Date();
  return {
    id: randomUUID(),
    accountId: account.id,
    externalId: body.externalId,
    quote,
    status: isFiat(quote.inputCurrency) ? 'UNPAID' : 'PENDING',
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + body.customDuration * 1000).toISOString(),
    ...ends,
  };
}

function inputOf(quote: PricedQuote, body: TicketBody): Partial<StoredTicket> {
  switch (quote.inputPaymentMethod) {
    case 'PIX': {
      if (body.ticketBrlPixInput === undefined) throw invalidField('ticketBrlPixInput');
      const transactionId = randomUUID().replaceAll('-', '').slice(0, 25);
      return { brCode: brCodeOf({ pixKey: PIX_KEY, amount: quote.inputAmount, transactionId }) };
    }
    case 'WIRE':
    case 'ACH': {
      const block = quote.inputPaymentMethod === 'WIRE' ? body.ticketUsdWireInput : body.ticketUsdInput;
      if (block === undefined) throw invalidField('ticketUsdWireInput');
      return { bankInstructions: bankInstructions() };
    }
    case 'INTERNAL':
      return {};
    default:
      throw new ApiError(400, 'ticketBlockchainInput is not emulated: pay from the INTERNAL balance');
  }
}

const bankInstructions = (): object => ({
  bankName: 'Emulated Bank',
  routingNumber: '021000021',
  accountNumber: '900000001234',
  beneficiaryName: 'Ramp Emulator',
  memo: randomBytes(6).toString('hex').toUpperCase(),
});

interface QuotedOutput {
  readonly account: SubAccount;
  readonly quote: PricedQuote;
  readonly parts: TicketServiceDeps;
}

function outputOf({ account, quote, parts }: QuotedOutput, body: TicketBody): Partial<StoredTicket> {
  const { outputPaymentMethod: method } = quote;
  if (method === 'PIX') return pixOutput(parts.control, body);
  if (method === 'WIRE' || method === 'ACH') return bankOutput(account, body, method);
  const { walletAddress = '', walletChain = '' } = body.ticketBlockchainOutput ?? {};
  if (walletChain !== method) throw invalidField('walletChain');
  if (parts.chains.get(method)?.isAddress(walletAddress) !== true) throw invalidField('walletAddress');
  return { receiver: { walletAddress, walletChain } };
}

function bankOutput(account: SubAccount, body: TicketBody, method: 'WIRE' | 'ACH'): Partial<StoredTicket> {
  const bank = (method === 'WIRE' ? body.ticketUsdWireOutput : body.ticketUsdOutput)?.beneficiaryUsdBankAccountId;
  if (account.beneficiaries.some(({ id }) => id === bank)) return {};
  throw invalidField('beneficiaryUsdBankAccountId');
}

function pixOutput({ unknownPixKeys }: Control, { ticketBrlPixOutput }: TicketBody): Partial<StoredTicket> {
  if (ticketBrlPixOutput === undefined) throw invalidField('ticketBrlPixOutput');
  const { pixKey } = ticketBrlPixOutput;
  if (pixKey !== undefined && unknownPixKeys.includes(pixKey)) throw invalidField('pixKey');
  return pixKey === undefined ? {} : { pixKey };
}

function useLimit({ limits }: Control, account: SubAccount, quote: PricedQuote): void {
  const [side, amount] = isFiat(quote.inputCurrency)
    ? (['in', parseMicro(quote.inputAmount, 'inputAmount')] as const)
    : (['out', isFiat(quote.outputCurrency) ? parseMicro(quote.outputAmount, 'outputAmount') : 0n] as const);
  const used = BigInt(account.used[side]) + amount;
  const maximum = parseMicro(side === 'in' ? limits.maxFiatIn : limits.maxFiatOut, 'limits');
  if (account.blocked || (amount > 0n && used > maximum)) throw new ApiError(400, 'limit exceeded');
  account.used[side] = used.toString();
}
