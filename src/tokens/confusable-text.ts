/** Letters and digits of other scripts, and signs, that resemble Latin letters. Lower case; compatibility forms are decomposed first. */
const LATIN_FORMS: Readonly<Record<string, string>> = {
  // Cyrillic
  ...{ а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', ё: 'e', н: 'h', һ: 'h', і: 'i', ї: 'i', ј: 'j', к: 'k', м: 'm', о: 'o' },
  ...{ р: 'p', ԛ: 'q', г: 'r', ѕ: 's', т: 't', и: 'u', ѵ: 'v', ԝ: 'w', х: 'x', у: 'y', з: '3' },
  // Greek
  ...{ α: 'a', β: 'b', ϲ: 'c', ε: 'e', η: 'n', ι: 'i', κ: 'k', μ: 'm', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x' },
  ...{ ζ: 'z', ω: 'w', γ: 'y' },
  // Armenian, Cherokee and Lisu
  ...{ ս: 'u', օ: 'o', ց: 'g', հ: 'h', ո: 'n', ꭰ: 'd', ꓴ: 'u', ꓢ: 's', ꓓ: 'd', ꓚ: 'c', ꓔ: 't' },
  // Latin letters with strokes, and small capitals
  ...{
    ł: 'l',
    ø: 'o',
    đ: 'd',
    ħ: 'h',
    ŧ: 't',
    ı: 'i',
    ʙ: 'b',
    ᴄ: 'c',
    ᴅ: 'd',
    ᴇ: 'e',
    ɢ: 'g',
    ʜ: 'h',
    ɪ: 'i',
    ᴛ: 't',
    ᴜ: 'u',
  },
  // Signs and digits
  ...{ '₮': 't', $: 's', '€': 'e', '₿': 'b', '0': 'o', '1': 'l', '5': 's', '|': 'l' },
};

/**
 * The form in which texts of similar appearance are equal: `UЅDС` in Cyrillic letters and `USDC` are both `usdc`. Hidden characters,
 * accents and spaces are removed.
 */
export function lookalikeKey(text: string): string {
  const decomposed = text.slice(0, 200).normalize('NFKD').toLowerCase();
  const visible = decomposed.replace(/[\p{M}\p{C}\s]/gu, '');
  return Array.from(visible, (character) => LATIN_FORMS[character] ?? character).join('');
}
