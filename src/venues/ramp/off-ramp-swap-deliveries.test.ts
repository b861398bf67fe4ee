import fc from 'fast-check';
import { orderOf } from '../../../test/ramps/scripted-money';
import { units } from '../../../test/swaps/swap-world';
import type { StoredTicket } from '../../ramps/ticket-store';
import { forReceivedAmount } from './off-ramp-swap-deliveries';

const amount = fc.bigInt({ min: 1n, max: 10n ** 30n });

function openTicketOnce(amountIn: bigint, amountOut: bigint): StoredTicket {
  const { ticket, quoteRequest, customerId } = orderOf();
  const quote = {
    amountIn: units(amountIn),
    amountOut: units(amountOut),
    fees: [],
    expiresAt: new Date(),
    execution: {},
  };
  const request = { ...ticket, route: quoteRequest.route, quote };
  return { customerId, intent: new Uint8Array(), request, ticket: undefined, ageSeconds: 0 };
}

describe('the ticket for the received amount', () => {
  it('is for the whole amount at the quoted rate', () => {
    fc.assert(
      fc.property(amount, amount, amount, (expected, quoted, received) => {
        const { quote } = forReceivedAmount(openTicketOnce(expected, quoted), {
          received: units(received),
          expected: units(expected),
        }).request;
        expect(quote.amountIn).toBe(received);
        // Rounded down to the cent, and not by more.
        const exact = quoted * received;
        expect(quote.amountOut * expected).toBeLessThanOrEqual(exact);
        expect((quote.amountOut + 1n) * expected).toBeGreaterThan(exact);
      }),
    );
  });

  it('is the opened ticket when the expected amount was received', () => {
    const opened = openTicketOnce(100n, 540n);
    expect(forReceivedAmount(opened, { received: units(100n), expected: units(100n) })).toEqual(opened);
  });
});
