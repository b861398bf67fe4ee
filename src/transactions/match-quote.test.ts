import { ALICE, BOB, chains, offerFor, quoteRequest, ROUTER, SOLANA_WALLET } from '../../test/swaps/swap-world';
import { FIAT_CHAIN_ID } from '../chains/chain';
import { canonicalHash } from '../persistence/canonical-hash';
import type { StoredQuote } from '../quotes/find-quote';
import type { QuoteRequest } from '../venues/quote-provider';
import { bytecodeHash } from './bytecode-hash';
import { matchQuote } from './match-quote';
import type { BytecodeRequest } from './parse-bytecode-request';

const quoteId = '01890a5d-ac96-774b-bcce-b302099a8057';
const request: BytecodeRequest = {
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
  readonly flaw: string;
  readonly code: string;
  readonly stored?: Partial<StoredQuote>;
  readonly asked?: Partial<BytecodeRequest>;
  readonly raw?: unknown;
}

describe('a request to execute', () => {
  it.each<[string, Partial<StoredQuote>, unknown]>([
    ['made for nobody', {}, undefined],
    ['made for its parties', { request: quoteRequest({ originAddress: ALICE, destinationAddress: BOB }) }, undefined],
    ['passed back unchanged', {}, { route: [{ fee: 5, pool: 'a' }], signature: '0x1' }],
  ])('matches a quote %s', (_, changes, raw) => {
    expect(matchQuote(quote(changes), { request, rawQuote: raw, quotedPayout: undefined })).toEqual({
      sender: ALICE,
      recipient: BOB,
      payout: undefined,
    });
  });

  it('of a payment in fiat comes from whoever receives, or from whom the quote was made for', () => {
    const fromNobody = { ...request, originAddress: undefined };
    const origin = chains.get(FIAT_CHAIN_ID);
    const senderOf = (changes: Partial<QuoteRequest>) => {
      const stored = quote({ request: quoteRequest({ origin, ...changes }) });
      return matchQuote(stored, { request: fromNobody, rawQuote: undefined, quotedPayout: undefined }).sender;
    };
    expect([senderOf({}), senderOf({ originAddress: ALICE })]).toEqual([BOB, ALICE]);
  });

  it.each<Mismatch>([
    { flaw: 'is over', code: 'QUOTE_EXPIRED', stored: { expired: true }, asked: { thirdParty: true }, raw: 'x' },
    { flaw: 'has another thirdParty', code: 'PIX_THIRD_PARTY_QUOTE_MISMATCH', asked: { thirdParty: true }, raw: 'x' },
    { flaw: 'has a thirdParty', code: 'PIX_THIRD_PARTY_QUOTE_MISMATCH', stored: { thirdParty: true } },
    { flaw: 'had another leaf', code, raw: { ...rawQuote, route: [{ pool: 'a', fee: 6 }] } },
    { flaw: 'never had a rawQuote', code, stored: { rawQuoteHash: undefined }, raw: {} },
    { flaw: 'has another sender', code, stored: { request: quoteRequest({ originAddress: BOB }) } },
    { flaw: 'has another recipient', code, stored: { request: quoteRequest({ destinationAddress: ALICE }) } },
    { flaw: 'pays no Pix', code: 'VALIDATION_ERROR', asked: { pixKey: 'a@b.co', destinationAddress: undefined } },
    { flaw: 'starts on another kind of chain', code: 'VALIDATION_ERROR', asked: { originAddress: SOLANA_WALLET } },
    { flaw: 'starts on a chain, with nobody', code: 'VALIDATION_ERROR', asked: { originAddress: undefined } },
    { flaw: 'starts where there are no instructions', code: 'VALIDATION_ERROR', asked: { output: 'instructions' } },
    { flaw: 'is sponsored', code: 'VALIDATION_ERROR', stored: { feeSponsorship: true } },
    { flaw: 'ends on another kind of chain', code: 'VALIDATION_ERROR', asked: { destinationAddress: SOLANA_WALLET } },
  ])('is refused with $code when the quote $flaw', ({ code: expected, stored, asked, raw }) => {
    const attempt = () =>
      matchQuote(quote(stored), { request: { ...request, ...asked }, rawQuote: raw, quotedPayout: undefined });
    expect(attempt).toThrow(expect.objectContaining({ code: expected }));
  });

  it.each([undefined, BOB])('with a Pix key for a swap is told that, and nothing of its destination (%p)', (given) => {
    const asked = { ...request, pixKey: 'a@b.co', destinationAddress: given };
    const attempt = () => matchQuote(quote(), { request: asked, rawQuote: undefined, quotedPayout: undefined });
    const message = 'is only for payouts of BRL on the chain fiat, not for DAI on devnet';
    expect(attempt).toThrow(expect.objectContaining({ details: { errors: [{ path: 'pixKey', message }] } }));
  });

  it('is the same whatever its receiver of events, and another with any other change', () => {
    const bound = { ...request, originAddress: ALICE, payout: undefined };
    const hash = bytecodeHash(bound);
    expect(bytecodeHash({ ...bound, webhookUrl: 'https://a.example' } as never)).toEqual(hash);
    for (const change of [
      { originAddress: ROUTER },
      { destinationAddress: ROUTER },
      { payout: 'x' },
      { thirdParty: true },
      { output: 'userOperation' as const },
      { accountId: '7' },
    ]) {
      expect(bytecodeHash({ ...bound, ...change })).not.toEqual(hash);
    }
  });
});
