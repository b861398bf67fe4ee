import type { CustomerId } from '../auth/principal';
import { createStreamSlots } from './stream-quotes';

const one = 'one' as CustomerId;
const other = 'other' as CustomerId;

describe('quote stream slots', () => {
  it('are bounded per customer without affecting other customers', () => {
    const slots = createStreamSlots({ perCustomer: 2, total: 10 });
    slots.take(one);
    const leave = slots.take(one);
    expect(() => slots.take(one)).toThrow('this customer already has 2 open quote streams');
    slots.take(other);
    leave();
    slots.take(one);
    expect(() => slots.take(one)).toThrow('this customer already has');
  });

  it('are bounded in total', () => {
    const slots = createStreamSlots({ perCustomer: 2, total: 3 });
    const leave = slots.take(one);
    slots.take(one);
    slots.take(other);
    expect(() => slots.take(other)).toThrow('too many quote streams are open');
    leave();
    slots.take(other);
  });

  it('are released once, however often release is called', () => {
    const slots = createStreamSlots({ perCustomer: 1, total: 2 });
    const leave = slots.take(one);
    leave();
    slots.take(one);
    leave();
    expect(() => slots.take(one)).toThrow('this customer already has');
    slots.take(other);
    expect(() => slots.take('third')).toThrow('too many');
  });
});
