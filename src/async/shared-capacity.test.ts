import fc from 'fast-check';
import { createSharedCapacity } from './shared-capacity';

const reasons = { perCustomer: 'yours is full', total: 'all is full' };
const unavailable = (reason: string) =>
  expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining(reason) });

describe('a shared capacity', () => {
  it('refuses a customer above its own maximum, and leaves the rest to other customers', () => {
    const capacity = createSharedCapacity({ perCustomer: 2, total: 3, reasons });
    const release = capacity.take('a', 2);
    expect(() => capacity.take('a')).toThrow(unavailable('yours is full'));
    capacity.take('b');
    expect(() => capacity.take('b')).toThrow(unavailable('all is full'));
    release();
    release();
    capacity.take('b');
    expect(() => capacity.take('c', 2)).toThrow(unavailable('all is full'));
    capacity.take('c');
  });

  it('never exceeds its limits, whatever is taken and released in which order', () => {
    const step = fc.record({
      customer: fc.constantFrom('a', 'b', 'c'),
      size: fc.integer({ min: 1, max: 5 }),
      releases: fc.nat(4),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const capacity = createSharedCapacity({ perCustomer: 8, total: 12, reasons });
        let held: { readonly customer: string; readonly size: number; readonly release: () => void }[] = [];
        const sum = (customer?: string) =>
          held
            .filter((each) => customer === undefined || each.customer === customer)
            .reduce((all, { size }) => all + size, 0);
        for (const { customer, size, releases } of steps) {
          const fits = sum(customer) + size <= 8 && sum() + size <= 12;
          try {
            held.push({ customer, size, release: capacity.take(customer, size) });
            expect(fits).toBe(true);
          } catch (error) {
            if (fits) throw error;
          }
          held.slice(0, releases).forEach(({ release }) => release());
          held = held.slice(releases);
        }
      }),
    );
  });
});
