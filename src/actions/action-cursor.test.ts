import { randomUUID } from 'node:crypto';
import type { ActionRow } from './action-row';
import { decodeActionCursor, encodeActionCursor } from './action-cursor';

const at = new Date('2026-01-31T12:00:00.123Z');
const row = { id: randomUUID(), createdAt: at, updatedAt: at, finishedAt: null } as ActionRow;
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the cursor of an action', () => {
  it('leads to the position that it was made of, for an action that has not ended too', () => {
    expect(decodeActionCursor(encodeActionCursor(row, 'createdAt'), 'createdAt')).toEqual({ at, id: row.id });
    expect(decodeActionCursor(encodeActionCursor(row, 'finishedAt'), 'finishedAt')).toEqual({ at: null, id: row.id });
  });

  it.each([
    '',
    'nonsense',
    'x'.repeat(1000),
    encoded(null),
    encoded(['createdAt', at, "1' OR true"]),
    encoded(['createdAt', 'infinity', row.id]),
    encoded(['createdAt', null, row.id]),
    encoded(['createdAt', '0000-01-01T00:00:00.000Z', row.id]),
    encoded(['createdAt', '9999-12-31T23:59:59.999Z', row.id]),
    encoded(['id', at, row.id]),
    encoded(['createdAt', at, row.id, 'more']),
    encodeActionCursor(row, 'updatedAt'),
  ])('is refused with VALIDATION_ERROR when it is %s', (cursor) => {
    expect(() => decodeActionCursor(cursor, 'createdAt')).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: { errors: [expect.objectContaining({ path: 'after' })] },
      }),
    );
  });
});
