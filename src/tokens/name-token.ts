import { hasInvisibleCharacters, printableText } from './printable-text';
import type { TextFlaw, TokenMetadata } from './token-metadata';

const MAX_SYMBOL = 32;
const MAX_NAME = 64;

/** Texts of a token as its contract or mint states them. Empty when there are none. */
export interface RawTexts {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** Metadata with sanitized texts. Without a symbol the name is used, without both `fallback`. */
export function nameToken(fallback: string, { symbol, name, decimals }: RawTexts): TokenMetadata {
  const [shortSymbol, shortName] = [printableText(symbol, MAX_SYMBOL), printableText(name, MAX_NAME)];
  const flaws: TextFlaw[] = [];
  if (hasInvisibleCharacters(symbol) || hasInvisibleCharacters(name)) flaws.push('hiddenCharacters');
  if (shortSymbol === '') flaws.push('noSymbol');
  if (shortName === '') flaws.push('noName');
  return {
    symbol: shortSymbol || printableText(shortName, MAX_SYMBOL) || fallback,
    name: shortName || shortSymbol || fallback,
    decimals,
    flaws,
  };
}
