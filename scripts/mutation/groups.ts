/** Files whose mutants must be found by tests, with these tests. Paths and patterns are relative to the root of the project. */
export interface MutationGroup {
  readonly files: readonly string[];
  /** Files of tests, and folders, which end with a slash. */
  readonly tests: readonly string[];
  /** True when tests among them need a database. */
  readonly usesDatabase: boolean;
}

/** What guards money, in groups that take some minutes each. */
export const GROUPS: Readonly<Record<string, MutationGroup>> = {
  money: { files: ['src/money/*.ts'], tests: ['src/money/'], usesDatabase: false },
  signing: {
    files: ['src/webhooks/signature.ts', 'src/auth/credentials/{equal-secrets,secret-hash}.ts'],
    tests: [
      'test/webhooks/signature.test.ts',
      'src/auth/credentials/equal-secrets.test.ts',
      'src/auth/credentials/secret-hash.test.ts',
    ],
    usesDatabase: false,
  },
  urls: {
    files: ['src/http/{guarded-fetch,public-address}.ts', 'src/webhooks/webhook-url-problem.ts'],
    tests: ['src/http/guarded-fetch.test.ts', 'src/webhooks/webhook-url-problem.test.ts'],
    usesDatabase: false,
  },
  lookups: {
    files: ['src/http/guarded-lookup.ts'],
    tests: ['src/http/guarded-fetch.test.ts', 'src/http/guarded-lookup.test.ts'],
    usesDatabase: false,
  },
  limits: {
    files: ['src/ramps/{route-limits,amount-errors}.ts', 'src/auth/rate-limit/{client-address,failed-key-window}.ts'],
    tests: [
      'src/ramps/route-limits.test.ts',
      'src/ramps/amount-errors.test.ts',
      'src/auth/rate-limit/client-address.test.ts',
      'src/auth/rate-limit/failed-key-window.test.ts',
    ],
    usesDatabase: false,
  },
  counts: {
    files: ['src/auth/rate-limit/coalesced-count.ts'],
    tests: ['src/auth/rate-limit/coalesced-count.test.ts'],
    usesDatabase: false,
  },
  authentication: {
    files: ['src/auth/credentials/{api-key,authenticator,lookup-cache,access-token-verifier}.ts'],
    tests: [
      'src/auth/credentials/api-key.test.ts',
      'src/auth/credentials/authenticator.test.ts',
      'src/auth/credentials/lookup-cache.test.ts',
      'src/auth/credentials/missing-credentials.test.ts',
      'src/auth/credentials/access-token-verifier.test.ts',
    ],
    usesDatabase: false,
  },
  state: {
    files: ['src/actions/state/{status-transitions,next-step,change-status}.ts'],
    tests: [
      'src/actions/state/status-transitions.test.ts',
      'src/actions/state/next-step.test.ts',
      'src/actions/state/next-step.db.test.ts',
      'src/actions/state/change-status.db.test.ts',
    ],
    usesDatabase: true,
  },
  idempotency: {
    files: ['src/auth/idempotency/{idempotency-store,response-sealer}.ts'],
    tests: ['src/auth/idempotency/idempotency-store.db.test.ts'],
    usesDatabase: true,
  },
};
