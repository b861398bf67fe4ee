import { randomUUID } from 'node:crypto';
import { cpfOf, emailOf } from '../../scripts/demo/person-evidence';
import { type Ask, askerOf } from '../rest/error-codes-world';
import { expectFailure } from '../rest/expect-failure';
import { newAddress } from '../rest/fiat-codes-cases';
import { expectDocumented, expectNothingSaid, newHeard, recorded } from '../rest/recorded-ask';
import { customerNamed, type RestResponse, runningService } from '../setup/running-service';
import { type Evidence, EVIDENCE_CASES, type FileHost, startFileHost } from './evidence-cases';
import { evidenceOf } from './kyc-bodies';

const service = runningService();
const healthy = askerOf(service.baseUrl, customerNamed(service, 'load').apiKey);
let files: FileHost;
beforeAll(async () => {
  files = await startFileHost();
});
afterAll(() => files.stop());

interface Applicant {
  readonly kycUserId: string;
  submit(change: (evidence: Evidence) => void): Promise<RestResponse>;
}

/** Somebody of whom no ramp has heard. */
async function newApplicant(ask: Ask): Promise<Applicant> {
  const cpf = cpfOf(randomUUID());
  const session = { cpf, email: emailOf(cpf), walletAddress: newAddress() };
  const { kycUserId } = (await ask('/api/v1/kyc/sessions', { body: session })).body;
  return {
    kycUserId,
    submit(change) {
      const body = evidenceOf(cpf);
      change(body);
      return ask(`/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
    },
  };
}

/** What the primary ramp knows of somebody. */
async function accountsOf({ kycUserId }: Applicant): Promise<unknown> {
  return (await fetch(`${service.emulators['primaryRamp']!}/_control/accounts?name=${kycUserId}`)).json();
}

describe('the table "KYC evidence errors"', () => {
  it.concurrent.each(Object.keys(EVIDENCE_CASES) as (keyof typeof EVIDENCE_CASES)[])(
    'has %s, which a submission is answered with that the ramp does not hear of',
    async (code) => {
      const heard = newHeard();
      const applicant = await newApplicant(recorded(healthy, heard));
      const answer = await EVIDENCE_CASES[code]({ submit: applicant.submit, files });
      expectFailure(answer, code);
      expectNothingSaid(answer, heard);
      expectDocumented(code, heard);
      expect(await accountsOf(applicant)).toEqual([]);
    },
  );
});

describe('an image of evidence', () => {
  const MAX_BYTES = 8 * 1024 * 1024;

  // What is not too large is looked at, and is no image.
  it.each([
    [MAX_BYTES - 1, 'UNSUPPORTED_EVIDENCE_IMAGE_FORMAT'],
    [MAX_BYTES, 'UNSUPPORTED_EVIDENCE_IMAGE_FORMAT'],
    [MAX_BYTES + 1, 'INVALID_EVIDENCE_IMAGE'],
  ] as const)('of %d bytes, sent or fetched, results in %s', async (size, code) => {
    const { submit } = await newApplicant(healthy);
    const base64 = Buffer.alloc(size, 'x').toString('base64');
    for (const front of [{ base64 }, { url: `${files.url}/bytes/${size}` }]) {
      const answer = await submit(({ documents }) => (documents.front = front));
      expectFailure(answer, code);
      expect(answer.body.error.message).toMatch(/: documents\.front$/);
    }
  });
});
