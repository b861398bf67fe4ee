import { pageCursor, parsePageCursor } from './page-cursor';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('the cursor of a page', () => {
  it('names the row that it was made of', () => {
    const position = { at: new Date('2026-03-01T12:00:00.123Z'), id: ID };
    expect(parsePageCursor(pageCursor(position))).toEqual(position);
  });

  it.each([
    '',
    ID,
    `2026-03-01_${ID}`,
    '2026-03-01T12:00:00Z_1',
    `0000-01-01T00:00:00Z_${ID}`,
    `1969-12-31T23:59:59Z_${ID}`,
  ])('is refused when it is crafted: %s', (cursor) => {
    expect(parsePageCursor(cursor)).toBeUndefined();
  });
});
