import type { Chain } from '../../chains/chain';
import { lookalikeKey } from '../../tokens/confusable-text';
import type { TextFlaw } from '../../tokens/token-metadata';

/** Signs of spam, each with its weight. A token with a score of `SPAM_SCORE` or more is spam. */
const WEIGHTS = {
  /** The contract has no symbol, name and decimals: it is no ERC-20, or an NFT. */
  NO_METADATA: 50,
  /** A web address with its scheme, `www`, or at a messenger, or a word that invites to visit one, in the name or symbol. */
  URL: 60,
  /** A domain in the name or symbol. Some tokens are called by the domain of their project. */
  DOMAIN: 40,
  /** The name or symbol promises something: claim, airdrop, reward. */
  LURE: 50,
  /** Characters that hide or reorder others. */
  HIDDEN_CHARACTERS: 60,
  /** Looks like the symbol of a listed token in other characters. */
  CONFUSABLE_SYMBOL: 60,
  /** The symbol of a token that is listed on the same chain. */
  LISTED_SYMBOL: 50,
  NO_SYMBOL: 30,
  /** More than 15 characters. */
  LONG_SYMBOL: 30,
  NO_NAME: 20,
  NO_DECIMALS: 20,
  /** The chain did not return the metadata in time: the token was not checked. */
  UNCHECKED: 0,
} as const;

export type SpamReason = keyof typeof WEIGHTS;
export const SPAM_REASONS = Object.keys(WEIGHTS) as readonly SpamReason[];

const SPAM_SCORE = 50;
const MAX_SCORE = 100;
const MAX_SYMBOL_LENGTH = 15;

export interface SpamAssessment {
  /** 0 to 100; 0 for a listed token. */
  readonly score: number;
  readonly reasons: readonly SpamReason[];
  readonly isSpam: boolean;
}

/** What an unlisted token states about itself, sanitized. */
export interface StatedToken {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly flaws: readonly TextFlaw[];
}

/** The assessment of a token that the deployment lists, and of the native coin. */
export const CLEAN: SpamAssessment = { score: 0, reasons: [], isSpam: false };

/** The assessment of a contract without metadata, or of a token whose metadata could not be read. */
export const assessUnknown = (reason: 'NO_METADATA' | 'UNCHECKED'): SpamAssessment => assessment([reason]);

/** Assesses a token that is not listed by what it states about itself. */
export function assessToken(chain: Chain, token: StatedToken): SpamAssessment {
  const { symbol, name, decimals, flaws } = token;
  const texts = `${symbol} ${name}`;
  const signs: readonly (readonly [SpamReason, boolean])[] = [
    ['URL', WEB_ADDRESS.test(texts)],
    ['DOMAIN', !WEB_ADDRESS.test(texts) && DOMAIN.test(texts)],
    ['LURE', LURE.test(texts)],
    ['HIDDEN_CHARACTERS', flaws.includes('hiddenCharacters')],
    ['NO_SYMBOL', flaws.includes('noSymbol')],
    ['LONG_SYMBOL', Array.from(symbol).length > MAX_SYMBOL_LENGTH],
    ['NO_NAME', flaws.includes('noName')],
    ['NO_DECIMALS', decimals === 0],
  ];
  const imitation = flaws.includes('noSymbol') ? undefined : imitationOf(chain, symbol);
  return assessment([
    ...signs.filter(([, applies]) => applies).map(([reason]) => reason),
    ...(imitation === undefined ? [] : [imitation]),
  ]);
}

const WEB_ADDRESS = /https?:|www\.|\bt\.me\b|\bt\.ly\b|\bvisit\b/i;
const DOMAIN = /[a-z0-9-]\s?\.\s?(?:[a-z]{2,}|xn--[a-z0-9-]+)\b/i;
const LURE = /\b(?:claim|claims|claimable|airdrop|airdrops|giveaway|voucher|rewards?|redeem|bonus)\b|\bfree\s+mint\b/i;

function imitationOf(chain: Chain, symbol: string): SpamReason | undefined {
  const listed = listedSymbols(chain).get(lookalikeKey(symbol));
  if (listed === undefined) return undefined;
  const isSame = listed.some((each) => each.toLowerCase() === symbol.toLowerCase());
  return isSame ? 'LISTED_SYMBOL' : 'CONFUSABLE_SYMBOL';
}

const symbolsOfChains = new WeakMap<Chain, ReadonlyMap<string, readonly string[]>>();

/** The symbols that are listed on a chain, by the key of what they look like. */
function listedSymbols(chain: Chain): ReadonlyMap<string, readonly string[]> {
  const cached = symbolsOfChains.get(chain);
  if (cached !== undefined) return cached;
  const symbols = new Map<string, string[]>();
  for (const symbol of [chain.nativeCurrency.symbol, ...chain.tokens.map((token) => token.symbol)]) {
    const key = lookalikeKey(symbol);
    symbols.set(key, [...(symbols.get(key) ?? []), symbol]);
  }
  symbolsOfChains.set(chain, symbols);
  return symbols;
}

function assessment(reasons: readonly SpamReason[]): SpamAssessment {
  const score = Math.min(
    MAX_SCORE,
    reasons.reduce((sum, reason) => sum + WEIGHTS[reason], 0),
  );
  return { score, reasons, isSpam: score >= SPAM_SCORE };
}
