import { type Actor, type AuditEntry, listAuditEntries } from '../../src/auth/audit-log';
import type { CustomerId, Role } from '../../src/auth/principal';
import { createCustomer } from '../../src/customers/customers';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';

/** A database of the test file's own, with a new customer in each test. */
export interface DashboardWorld {
  readonly test: TestDatabase;
  /** That of the running test. */
  readonly customerId: CustomerId;
  readonly by: (role: Role, subject?: string) => Actor;
  /** What the audit log has of the customer, newest first. */
  readonly audited: () => Promise<readonly AuditEntry[]>;
  readonly operations: () => Promise<string[]>;
}

/** Registers the hooks that make the world and drop it. */
export function dashboardWorld(): DashboardWorld {
  let test: TestDatabase;
  let customerId: CustomerId;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    ({ id: customerId } = await createCustomer(test.database, { name: 'acme' }));
  });
  const audited = async () => (await listAuditEntries(test, { customerId, first: 100 })).entries;
  return {
    get test() {
      return test;
    },
    get customerId() {
      return customerId;
    },
    by: (role, subject = `the-${role}`) => ({ customerId, subject, role, requestId: 'request-1' }),
    audited,
    operations: async () => (await audited()).map(({ operation }) => operation),
  };
}

/** The error that reports problems at just these paths. */
export const pathsOf = (...paths: string[]) => ({
  code: 'VALIDATION_ERROR',
  details: { errors: paths.map((path) => expect.objectContaining({ path }) as object) },
});
