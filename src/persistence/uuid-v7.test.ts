import { uuidV7 } from './uuid-v7';

describe('a UUID of version 7', () => {
  it('contains its version, its variant and the millisecond of its creation', () => {
    const before = Date.now();
    const id = uuidV7();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const made = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    expect(made).toBeGreaterThanOrEqual(before);
    expect(made).toBeLessThanOrEqual(Date.now());
  });

  it('is different every time', () => {
    expect(new Set(Array.from({ length: 1000 }, uuidV7)).size).toBe(1000);
  });
});
