import fc from 'fast-check';
import { orderOf } from '../../../test/ramps/scripted-money';
import { units } from '../../../test/swaps/swap-world';
import type { StoredTicket } from '../../ramps/ticket-store';
import { forReceivedAmount } from './off-ramp-swap-deliveries';

const amount = fc.bigInt({ min: 1n, max: 10n ** 30n });

function openTicketOnce(amountIn: bigint, amountOut: bigint): StoredTicket {
  const { ticket, question, customerId } = orderOf();
  const quote = {
    amountIn: units(amountIn),
    amountOut: units(amountOut),
    fees: [],
    expiresAt: new Date(),
    execution: {},
  };
  const request = { ...ticket, route: question.route, quote };
  return { customerId, intent: new Uint8Array(), request, ticket: undefined, ageSeconds: 0 };
}

describe('the ticket for the received amount', () => {
  it('is for all of it, at the rate that was told', () => {
    fc.assert(
      fc.property(amount, amount, amount, (expected, told, arrived) => {
        const { quote } = forReceivedAmount(openTicketOnce(expected, told), {
          arrived: units(arrived),
          expected: units(expected),
        }).request;
        expect(quote.amountIn).toBe(arrived);
        // Rounded down to the cent, and not by more.
        const exact = told * arrived;
        expect(quote.amountOut * expected).toBeLessThanOrEqual(exact);
        expect((quote.amountOut + 1n) * expected).toBeGreaterThan(exact);
      }),
    );
  });

  it('is the one that was opened when what was expected has come', () => {
    const opened = openTicketOnce(100n, 540n);
    expect(forReceivedAmount(opened, { arrived: units(100n), expected: units(100n) })).toEqual(opened);
  });
});
