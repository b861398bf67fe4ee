import { isServiceError } from '../../src/errors/service-error';
import type { TicketRequest } from '../../src/ramps/ramp-provider';
import { FAULTS, HANGING_FAULTS } from './faulty-upstream';
import type { RampRequestKind, RampUnderTest, ServedRamp } from './ramp-under-test';

/** Timeout of a healthy request. */
const TIMEOUT_MS = 10_000;
/** Budget where the upstream never comes to an end: shorter than what a ramp may wait for on its own. */
const HANGING_BUDGET_MS = 500;
/** What a loaded machine may take on top. */
const GRACE_MS = 2000;
/** Bytes of the 50 MB body that are read, plus those in the buffers of both sides. */
const MAX_BYTES_TAKEN = 25_000_000;
/** Faults in the amounts of a response. */
const OF_AMOUNTS: ReadonlySet<string> = new Set(['misses a field', 'answers NaN', 'answers a negative amount']);

const TEST_MS = 60_000;

const patience = (): AbortSignal => AbortSignal.timeout(TIMEOUT_MS);
const asIs = (reason: unknown): unknown => reason;
const asResolved = (value: unknown): unknown => ({ resolved: value });

/** A failing ramp has its own codes, ends within the timeout, and recovers. */
export function describeFaults(
  of: () => RampUnderTest,
  requestOf: (served: ServedRamp) => Promise<TicketRequest>,
): void {
  /** Prepares a request while the ramp is healthy. */
  const prepared = async (question: RampRequestKind): Promise<(signal: AbortSignal) => Promise<unknown>> => {
    const { ramp, account } = of();
    const served = of().served[0]!;
    switch (question) {
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
        const { ticketId } = await ramp.openTicket(request, patience());
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

  const questions = ['quote', 'openTicket', 'ticketState', 'limits', 'openAccount', 'verificationState'] as const;

  it.each(FAULTS)(
    'ends with its codes within the timeout, and recovers, when the ramp %s',
    async (fault) => {
      for (const question of OF_AMOUNTS.has(fault) ? (['quote'] as const) : questions) {
        const { upstream, unavailable } = of();
        const ask = await prepared(question);
        const budgetMs = HANGING_FAULTS.has(fault) ? HANGING_BUDGET_MS : TIMEOUT_MS;
        upstream.injectFault(fault);
        const started = Date.now();
        const error: unknown = await ask(AbortSignal.timeout(budgetMs)).then(asResolved, asIs);
        expect(Date.now() - started).toBeLessThan(budgetMs + GRACE_MS);
        const code = isServiceError(error) ? error.code : error;
        const isExpected = isServiceError(error) && unavailable[question].includes(error.code);
        expect({ question, code, isExpected }).toEqual({ question, code, isExpected: true });
        expect(upstream.faultyResponses()).toBeGreaterThan(0);
        expect(upstream.bytesTaken()).toBeLessThan(MAX_BYTES_TAKEN * upstream.faultyResponses());
        upstream.injectFault(undefined);
        if (question === 'quote') await ask(patience());
      }
    },
    TEST_MS,
  );

  it('returns no text of the ramp', async () => {
    const { upstream } = of();
    const ask = await prepared('quote');
    upstream.injectFault('answers 500');
    const error: unknown = await ask(patience()).catch(asIs);
    expect(JSON.stringify([(error as Error).message, isServiceError(error) ? error.details : undefined])).not.toContain(
      'on fire',
    );
  });
}
