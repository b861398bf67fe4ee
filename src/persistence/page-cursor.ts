import { z } from 'zod';

/** The last row of a page of a list that is sorted by time and then by id. */
export interface PagePosition {
  readonly at: Date;
  readonly id: string;
}

// The database has no year 0.
const cursorSchema = z.tuple([z.iso.datetime().refine((time) => Date.parse(time) >= 0), z.guid()]);

export const pageCursor = ({ at, id }: PagePosition): string => `${at.toISOString()}_${id}`;

/** The position of a cursor; `undefined` for a text that is none. */
export function parsePageCursor(cursor: string): PagePosition | undefined {
  const { data } = cursorSchema.safeParse(cursor.split('_'));
  return data && { at: new Date(data[0]), id: data[1] };
}
