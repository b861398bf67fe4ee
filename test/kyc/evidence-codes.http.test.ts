import { randomUUID } from 'node:crypto';
import { cpfOf, emailOf } from '../../scripts/demo/person-evidence';
import { type SendRequest, requestSender } from '../rest/error-codes-world';
import { expectFailure } from '../rest/expect-failure';
import { newAddress } from '../rest/fiat-codes-cases';
import { expectNoPersonalData, newRequestRecord, recordingSender } from '../rest/request-record';
import { customerNamed, type RestResponse, runningService } from '../setup/running-service';
import { type Evidence, EVIDENCE_CASES, type FileHost, startFileHost } from './evidence-cases';
import { evidenceOf } from './kyc-bodies';

const service = runningService();
const healthy = requestSender(service.baseUrl, customerNamed(service, 'load').apiKey);
let files: FileHost;
beforeAll(async () => {
  files = await startFileHost();
});
afterAll(() => files.stop());

interface Applicant {
  readonly kycUserId: string;
  submit(change: (evidence: Evidence) => void): Promise<RestResponse>;
}

/** Opens a session for a person without an account at a ramp. */
async function newApplicant(send: SendRequest): Promise<Applicant> {
  const cpf = cpfOf(randomUUID());
  const session = { cpf, email: emailOf(cpf), walletAddress: newAddress() };
  const { kycUserId } = (await send('/api/v1/kyc/sessions', { body: session })).body;
  return {
    kycUserId,
    submit(change) {
      const body = evidenceOf(cpf);
      change(body);
      return send(`/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
    },
  };
}

/** Accounts of an applicant at the primary ramp. */
async function accountsOf({ kycUserId }: Applicant): Promise<unknown> {
  return (await fetch(`${service.emulators['primaryRamp']!}/_control/accounts?name=${kycUserId}`)).json();
}

describe('the table "KYC evidence errors"', () => {
  it.concurrent.each(Object.keys(EVIDENCE_CASES) as (keyof typeof EVIDENCE_CASES)[])(
    'has %s, and the refused submission never reaches the ramp',
    async (code) => {
      const record = newRequestRecord();
      const applicant = await newApplicant(recordingSender(healthy, record));
      const response = await EVIDENCE_CASES[code]({ submit: applicant.submit, files });
      expectFailure(response, code);
      expectNoPersonalData(response, record);
      expect(await accountsOf(applicant)).toEqual([]);
    },
  );
});

describe('an image of evidence', () => {
  const MAX_BYTES = 8 * 1024 * 1024;

  // Files up to the maximum are inspected, and these are no images.
  it.each([
    [MAX_BYTES - 1, 'UNSUPPORTED_EVIDENCE_IMAGE_FORMAT'],
    [MAX_BYTES, 'UNSUPPORTED_EVIDENCE_IMAGE_FORMAT'],
    [MAX_BYTES + 1, 'INVALID_EVIDENCE_IMAGE'],
  ] as const)('of %d bytes, sent or fetched, results in %s', async (size, code) => {
    const { submit } = await newApplicant(healthy);
    const base64 = Buffer.alloc(size, 'x').toString('base64');
    for (const front of [{ base64 }, { url: `${files.url}/bytes/${size}` }]) {
      const response = await submit(({ documents }) => (documents.front = front));
      expectFailure(response, code);
      expect(response.body.error.message).toMatch(/: documents\.front(?:\. |$)/);
    }
  });
});
