import { catchUp } from '../actions/local-tracker';
import { snapshotOf } from '../setup/universe-of-tests';
import { type DeskOptions, type OperationDesk, openOperationDesk } from './operation-desk';

/** Opens a desk for the tests of a file, whose tracker has read its chain. After each test the chain is as before it. */
export function useOperationDesk(use: (desk: OperationDesk) => void, options: DeskOptions = {}): void {
  let desk: OperationDesk;
  let revert: () => Promise<void>;
  beforeAll(async () => {
    desk = await openOperationDesk(options);
    await catchUp(desk.tracker, desk.devnet.chainId);
    use(desk);
  });
  afterAll(() => desk.close());
  beforeEach(async () => {
    revert = await snapshotOf(desk.devnet);
  });
  afterEach(() => revert());
}
