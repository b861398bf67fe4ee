/** Letters and digits of other scripts, and signs, that resemble Latin letters. Lower case; compatibility forms are decomposed first. */
const LATIN_FORMS: ReadonlyMap<string, string> = new Map(
  [
    // Cyrillic
    ['авсԁеёнһіїјкмо', 'abcdeehhiijkmo'],
    ['рԛгѕтиѵԝхуз', 'pqrstuvwxy3'],
    // Greek
    ['αβϲεηικμνορτυχζωγ', 'abcenikmvoptuxzwy'],
    // Armenian, Cherokee and Lisu
    ['սօցհոꭰꓴꓢꓓꓚꓔ', 'uoghndusdct'],
    // Latin letters with strokes, and small capitals
    ['łøđħŧıʙᴄᴅᴇɢʜɪᴛᴜ', 'lodhtibcdeghitu'],
    // Signs and digits
    ['₮$€₿015|', 'tsebolsl'],
  ].flatMap(([signs = '', letters = '']) =>
    Array.from(signs, (sign, index) => [sign, letters[index] ?? sign] as const),
  ),
);

/**
 * The form in which texts of similar appearance are equal: `UЅDС` in Cyrillic letters and `USDC` are both `usdc`. Hidden characters,
 * accents and spaces are removed.
 */
export function lookalikeKey(text: string): string {
  const decomposed = text.slice(0, 200).normalize('NFKD').toLowerCase();
  const visible = decomposed.replace(/[\p{M}\p{C}\s]/gu, '');
  return Array.from(visible, (character) => LATIN_FORMS.get(character) ?? character).join('');
}
