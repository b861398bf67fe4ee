import { CATALOG, CATALOG_TABLES } from './catalog';

describe('the catalog of errors', () => {
  it('has every code in one table', () => {
    const codes = Object.values(CATALOG_TABLES).flatMap((table) => Object.keys(table));
    expect(codes.toSorted()).toEqual(Object.keys(CATALOG).toSorted());
  });
});
