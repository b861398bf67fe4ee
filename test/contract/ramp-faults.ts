import { isServiceError } from '../../src/errors/service-error';
import type { TicketRequest } from '../../src/ramps/ramp-provider';
import { FAULTS, signalUnder } from './faulty-upstream';
import type { RampRequestKind, RampUnderTest, ServedRamp } from './ramp-under-test';

/** Timeout of a healthy request. */
const TIMEOUT_MS = 60_000;
/** Bytes of the 50 MB body that are read, plus those in the buffers of both sides. */
const MAX_BYTES_TAKEN = 25_000_000;
/** Faults in the amounts of a response. */
const AMOUNT_FAULTS: ReadonlySet<string> = new Set([
  'omits a field',
  'responds with NaN',
  'responds with a negative amount',
]);

const timeout = (): AbortSignal => AbortSignal.timeout(TIMEOUT_MS);
const asIs = (reason: unknown): unknown => reason;
const asResolved = (value: unknown): unknown => ({ resolved: value });

/** Requests to a failing ramp fail with its codes, at the latest when their caller aborts, and succeed after the fault. */
export function describeFaults(
  of: () => RampUnderTest,
  requestOf: (served: ServedRamp) => Promise<TicketRequest>,
): void {
  /** Prepares a request while the ramp is healthy. */
  const prepared = async (kind: RampRequestKind): Promise<(signal: AbortSignal) => Promise<unknown>> => {
    const { ramp, account } = of();
    const served = of().served[0]!;
    switch (kind) {
      case 'quote': {
        const { route, amountIn: amount } = served;
        return (signal) => ramp.quote({ route, side: 'in', amount, account, thirdParty: false }, signal);
      }
      case 'openTicket': {
        const request = await requestOf(served);
        return (signal) => ramp.openTicket(request, signal);
      }
      case 'ticketState': {
        const request = await requestOf(served);
        const { ticketId } = await ramp.openTicket(request, timeout());
        return (signal) => ramp.ticketState(ticketId, { ...account, request }, signal);
      }
      case 'limits':
        return (signal) => ramp.accountLimits(account, signal);
      case 'openAccount': {
        const { person, kycUserId } = of().newPerson();
        return (signal) => ramp.openAccount(person, { kycUserId }, signal);
      }
      case 'verificationState':
        return (signal) => ramp.verificationState({ ...account, attemptId: undefined }, signal);
    }
  };

  const kinds = ['quote', 'openTicket', 'ticketState', 'limits', 'openAccount', 'verificationState'] as const;

  it.each(FAULTS)(
    'fails with its codes, at the latest when the caller aborts, and recovers, when the ramp %s',
    async (fault) => {
      for (const kind of AMOUNT_FAULTS.has(fault) ? (['quote'] as const) : kinds) {
        const { upstream, unavailable } = of();
        const send = await prepared(kind);
        upstream.injectFault(fault);
        const error: unknown = await send(signalUnder(fault, upstream)).then(asResolved, asIs);
        const code = isServiceError(error) ? error.code : error;
        const isExpected = isServiceError(error) && unavailable[kind].includes(error.code);
        expect({ kind, code, isExpected }).toEqual({ kind, code, isExpected: true });
        expect(upstream.faultyResponses()).toBeGreaterThan(0);
        expect(upstream.bytesTaken()).toBeLessThan(MAX_BYTES_TAKEN * upstream.faultyResponses());
        upstream.injectFault(undefined);
        if (kind === 'quote') await send(timeout());
      }
    },
  );

  it('returns no text of the ramp', async () => {
    const { upstream } = of();
    const send = await prepared('quote');
    upstream.injectFault('responds with 500');
    const error: unknown = await send(timeout()).catch(asIs);
    expect(JSON.stringify([(error as Error).message, isServiceError(error) ? error.details : undefined])).not.toContain(
      'on fire',
    );
  });
}
