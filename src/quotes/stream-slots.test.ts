import type { CustomerId } from '../auth/principal';
import { createStreamSlots } from './stream-slots';

const one = 'one' as CustomerId;
const other = 'other' as CustomerId;

describe('the slots of streams', () => {
  it('are so many for a customer, who may leave the rest to others', () => {
    const slots = createStreamSlots({ perCustomer: 2, total: 10 });
    slots.take(one);
    const leave = slots.take(one);
    expect(() => slots.take(one)).toThrow('2 streams of quotes are open for this customer already');
    slots.take(other);
    leave();
    slots.take(one);
    expect(() => slots.take(one)).toThrow('for this customer');
  });

  it('are so many for all', () => {
    const slots = createStreamSlots({ perCustomer: 2, total: 3 });
    const leave = slots.take(one);
    slots.take(one);
    slots.take(other);
    expect(() => slots.take(other)).toThrow('too many streams of quotes are open');
    leave();
    slots.take(other);
  });

  it('are given back once, however often they are left', () => {
    const slots = createStreamSlots({ perCustomer: 1, total: 2 });
    const leave = slots.take(one);
    leave();
    slots.take(one);
    leave();
    expect(() => slots.take(one)).toThrow('for this customer');
    slots.take(other);
    expect(() => slots.take('third' as CustomerId)).toThrow('too many');
  });
});
