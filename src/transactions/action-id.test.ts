import { uuidV7 } from '../persistence/uuid-v7';
import { actionIdForQuote } from './action-id';

describe('the id of the action of a quote', () => {
  it('is a UUID of version 7, deterministic, and different for every quote', () => {
    const [quote, other] = [uuidV7(), uuidV7()];
    expect(actionIdForQuote(quote)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(actionIdForQuote(quote)).toBe(actionIdForQuote(quote));
    expect(actionIdForQuote(quote)).not.toBe(actionIdForQuote(other));
    expect(actionIdForQuote(quote)).not.toBe(quote);
  });
});
