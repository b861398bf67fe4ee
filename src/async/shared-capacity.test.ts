import fc from 'fast-check';
import { limitError } from '../errors/limit-error';
import { createSharedCapacity } from './shared-capacity';

const reachedError = (maximum: number) =>
  limitError({ limit: 'things', maximum, bound: `yours is full with ${maximum}`, retryAfter: 5 });
const errors = { customerError: reachedError, full: 'all is full' };
const unavailable = expect.objectContaining({
  code: 'SERVICE_UNAVAILABLE',
  message: expect.stringContaining('all is full'),
});
const reached = (maximum: number) =>
  expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', details: { limit: 'things', maximum, retryAfter: 5 } });

describe('a shared capacity', () => {
  it('refuses a customer above its own maximum, and leaves the rest to other customers', () => {
    const capacity = createSharedCapacity({ perCustomer: 2, total: 3, ...errors });
    const release = capacity.take('a', 2);
    expect(() => capacity.take('a')).toThrow(reached(2));
    capacity.take('b');
    expect(() => capacity.take('b')).toThrow(unavailable);
    release();
    release();
    capacity.take('b');
    expect(() => capacity.take('c', 2)).toThrow(unavailable);
    capacity.take('c');
  });

  it('has a maximum of its own for a customer that is given one', () => {
    const capacity = createSharedCapacity({ perCustomer: 1, total: 9, ...errors });
    capacity.take('a', 3, 4);
    capacity.take('a', 1, 4);
    expect(() => capacity.take('a', 1, 4)).toThrow(reached(4));
    capacity.take('b');
    expect(() => capacity.take('b')).toThrow(reached(1));
  });

  it('never exceeds its limits, whatever is taken and released in which order', () => {
    const step = fc.record({
      customer: fc.constantFrom('a', 'b', 'c'),
      size: fc.integer({ min: 1, max: 5 }),
      releases: fc.nat(4),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const capacity = createSharedCapacity({ perCustomer: 8, total: 12, ...errors });
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
