import { ALICE, BOB, chains, offerFor, quoteRequest, ROUTER, SOLANA_WALLET } from '../../test/swaps/swap-world';
import { FIAT_CHAIN_ID } from '../chains/chain';
import { canonicalHash } from '../persistence/canonical-hash';
import type { StoredQuote } from '../quotes/find-quote';
import type { QuoteRequest } from '../venues/quote-provider';
import { executionRequestHash } from './execution-request-hash';
import { matchQuote } from './match-quote';
import type { ExecutionRequest } from './parse-execution-request';

const quoteId = '01890a5d-ac96-774b-bcce-b302099a8057';
const request: ExecutionRequest = {
  quoteId,
  originAddress: ALICE,
  destinationAddress: BOB,
  pixKey: undefined,
  thirdParty: false,
  output: 'bytecode',
  accountId: undefined,
  webhookUrl: undefined,
};
const rawQuote = { signature: '0x1', route: [{ pool: 'a', fee: 5 }] };

const quote = (changes: Partial<StoredQuote> = {}): StoredQuote => ({
  quoteId,
  request: quoteRequest(),
  offer: offerFor(quoteRequest()),
  thirdParty: false,
  deadline: new Date(),
  feeSponsorship: false,
  expired: false,
  rawQuoteHash: canonicalHash(rawQuote),
  bytecodeHash: undefined,
  webhookUrl: undefined,
  amountInUsd: undefined,
  amountOutUsd: undefined,
  feeLines: [],
  sealedPayout: undefined,
  ...changes,
});

const code = 'QUOTE_VALIDATION_ERROR';

interface Mismatch {
  readonly problem: string;
  readonly code: string;
  readonly stored?: Partial<StoredQuote>;
  readonly requested?: Partial<ExecutionRequest>;
  readonly raw?: unknown;
}

describe('a request to execute', () => {
  it.each<[string, Partial<StoredQuote>, unknown]>([
    ['made for nobody', {}, undefined],
    ['made for its parties', { request: quoteRequest({ originAddress: ALICE, destinationAddress: BOB }) }, undefined],
    ['passed back unchanged', {}, { route: [{ fee: 5, pool: 'a' }], signature: '0x1' }],
    ['that expired after its first execution', { expired: true, bytecodeHash: Buffer.alloc(32) }, undefined],
  ])('matches a quote %s', (_, changes, raw) => {
    expect(matchQuote(quote(changes), { request, rawQuote: raw, quotedPayout: undefined })).toEqual({
      sender: ALICE,
      recipient: BOB,
      payout: undefined,
    });
  });

  it('for a fiat payment has the recipient or the address of the quote as sender', () => {
    const fromNobody = { ...request, originAddress: undefined };
    const origin = chains.get(FIAT_CHAIN_ID);
    const senderOf = (changes: Partial<QuoteRequest>) => {
      const stored = quote({ request: quoteRequest({ origin, ...changes }) });
      return matchQuote(stored, { request: fromNobody, rawQuote: undefined, quotedPayout: undefined }).sender;
    };
    expect([senderOf({}), senderOf({ originAddress: ALICE })]).toEqual([BOB, ALICE]);
  });

  it.each<Mismatch>([
    { problem: 'is over', code: 'QUOTE_EXPIRED', stored: { expired: true }, requested: { thirdParty: true }, raw: 'x' },
    {
      problem: 'has another thirdParty',
      code: 'PIX_THIRD_PARTY_QUOTE_MISMATCH',
      requested: { thirdParty: true },
      raw: 'x',
    },
    { problem: 'has a thirdParty', code: 'PIX_THIRD_PARTY_QUOTE_MISMATCH', stored: { thirdParty: true } },
    { problem: 'had another leaf', code, raw: { ...rawQuote, route: [{ pool: 'a', fee: 6 }] } },
    { problem: 'never had a rawQuote', code, stored: { rawQuoteHash: undefined }, raw: {} },
    { problem: 'has another sender', code, stored: { request: quoteRequest({ originAddress: BOB }) } },
    { problem: 'has another recipient', code, stored: { request: quoteRequest({ destinationAddress: ALICE }) } },
    {
      problem: 'pays no Pix',
      code: 'VALIDATION_ERROR',
      requested: { pixKey: 'a@b.co', destinationAddress: undefined },
    },
    {
      problem: 'starts on another kind of chain',
      code: 'VALIDATION_ERROR',
      requested: { originAddress: SOLANA_WALLET },
    },
    { problem: 'starts on a chain, with nobody', code: 'VALIDATION_ERROR', requested: { originAddress: undefined } },
    {
      problem: 'starts where there are no instructions',
      code: 'VALIDATION_ERROR',
      requested: { output: 'instructions' },
    },
    { problem: 'is sponsored', code: 'VALIDATION_ERROR', stored: { feeSponsorship: true } },
    {
      problem: 'ends on another kind of chain',
      code: 'VALIDATION_ERROR',
      requested: { destinationAddress: SOLANA_WALLET },
    },
  ])('is refused with $code when the quote $problem', ({ code: expected, stored, requested, raw }) => {
    const attempt = () =>
      matchQuote(quote(stored), { request: { ...request, ...requested }, rawQuote: raw, quotedPayout: undefined });
    expect(attempt).toThrow(expect.objectContaining({ code: expected }));
  });

  it.each([undefined, BOB])('with a Pix key for a swap is refused with this problem only (destination %p)', (given) => {
    const requested = { ...request, pixKey: 'a@b.co', destinationAddress: given };
    const attempt = () => matchQuote(quote(), { request: requested, rawQuote: undefined, quotedPayout: undefined });
    const message = 'is only for payouts of BRL on the chain fiat, not for DAI on devnet';
    expect(attempt).toThrow(expect.objectContaining({ details: { errors: [{ path: 'pixKey', message }] } }));
  });

  it('has the same hash with another webhook URL, and another hash with any other change', () => {
    const bound = { ...request, originAddress: ALICE, payout: undefined };
    const hash = executionRequestHash(bound);
    expect(executionRequestHash({ ...bound, webhookUrl: 'https://a.example' } as never)).toEqual(hash);
    for (const change of [
      { originAddress: ROUTER },
      { destinationAddress: ROUTER },
      { payout: 'x' },
      { thirdParty: true },
      { output: 'userOperation' as const },
      { accountId: '7' },
    ]) {
      expect(executionRequestHash({ ...bound, ...change })).not.toEqual(hash);
    }
  });
});
