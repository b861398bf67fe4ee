// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// Collects fees on the profit of ERC-4626 positions, in shares of the vault, from wallets that have enrolled and have given
/// this contract an allowance. Holds no tokens: shares go from the wallet to the recipients.
///
/// Each wallet has a mark per key: the highest price whose profit is settled. Prices are assets per share in base units, as a
/// ray (27 decimals). A collection takes at most
///
///     floor(balance * (min(price, limit) - mark) * bps / (price * 10000)) shares,
///
/// with bps the lower one of the entry's sum and of the wallet's own `maxBps`, and then raises the mark to min(price, limit). The rest
/// of a collection for fewer shares is waived: no profit is charged twice, and none later.
///
/// Trust. The controller is the service, and is taken for hostile here: it can choose any argument, entry and moment. It cannot
/// take from a wallet that has not enrolled, that has left or that has revoked its allowance; nor more than `maxBps` of the
/// growth since the mark; nor shares of another vault than the one that the key had when the wallet enrolled.
///
/// The limit. A price can be inflated for one transaction, by a loan or by a vault that lies. No price counts for more than
/// the mark raised by 1 % for each day since the mark was set, at most 30 days of it. Growth above the limit is not lost: it counts
/// in later collections. In the block in which a mark was set the limit is the mark itself.
///
/// What remains:
/// - Where a price can be inflated, a hostile controller takes, with nothing having been earned, up to `maxBps` of 1 % of the position a
///   day. A donation to a vault is no such inflation: it belongs to the holders of its shares.
/// - The contract sees balances when it is called, not transfers. Shares above the recorded ones count as bought at the price of
///   that moment, shares below as gone. If shares leave and others arrive between two records, those that arrived take the
///   mark of those that left; if the price has fallen since shares arrived, its recovery is charged. A wallet that
///   calls `record` after each deposit, withdrawal and transfer has neither.
/// - A profit that was charged is not paid back after a loss: the mark stays, and the recovery is free.
/// - A wallet that has enrolled under two keys of one vault is charged under both.
contract CollectionRegistry is ReentrancyGuard, Pausable {
    using SafeERC20 for IERC20;

    struct Entry {
        address vault;
        address performanceCollector;
        address markupRecipient;
        uint16 performanceBps;
        uint16 markupBps;
        bool live;
        uint64 version;
    }

    struct Mark {
        uint256 ray;
        uint256 shares;
        /// Unix time when the mark was set; share-weighted like the mark itself.
        uint64 setAt;
        uint16 maxBps;
    }

    /// State of a wallet at this moment: what a record would store, and the prices that count.
    struct Position {
        uint256 balance;
        uint256 markRay;
        uint256 markSetAt;
        uint256 priceRay;
        /// The lower one of the price and the limit.
        uint256 countedRay;
    }

    uint256 public constant MAX_DAILY_GROWTH_BPS = 100;
    uint256 public constant MAX_GROWTH_TIME = 30 days;
    uint16 public constant MAX_BPS = 9_999;
    uint256 private constant ALL_BPS = 10_000;
    uint256 private constant RAY = 1e27;
    uint8 private constant MAX_DECIMALS = 36;

    address public immutable controller;

    mapping(bytes32 key => Entry) private entries;
    /// Shares whose value is the price: 10^(decimals + 18), as of the first entry of the key.
    mapping(bytes32 key => uint256) private samples;
    mapping(bytes32 key => mapping(address wallet => Mark)) private marks;
    /// Outlives `leave`, so that a period is never collected twice.
    mapping(bytes32 key => mapping(address wallet => uint64)) public lastPeriodOf;

    event EntrySet(bytes32 indexed key, Entry entry);
    event Enrolled(bytes32 indexed key, address indexed wallet, uint256 markRay, uint256 shares, uint16 maxBps);
    event Recorded(bytes32 indexed key, address indexed wallet, uint256 markRay, uint256 shares);
    event Left(bytes32 indexed key, address indexed wallet);
    /// `markRay` is the mark from now on, `priceRay` the price of the vault.
    event Collected(
        bytes32 indexed key,
        address indexed wallet,
        uint64 indexed periodId,
        uint256 performanceShares,
        uint256 markupShares,
        uint256 markRay,
        uint256 priceRay
    );

    error NotController();
    error InvalidController();
    error VersionMismatch(uint64 current);
    error InvalidVault();
    error VaultFixed();
    error InvalidBps();
    error InvalidRecipient();
    error UnknownKey();
    error NotLive();
    error NotEnrolled();
    error ZeroPrice();
    error PeriodCollected(uint64 lastPeriodId);
    error NothingToCollect();
    error TooManyShares(uint256 collectable);

    modifier onlyController() {
        if (msg.sender != controller) revert NotController();
        _;
    }

    constructor(address controller_) {
        if (controller_ == address(0)) revert InvalidController();
        controller = controller_;
    }

    /// Replaces the entry of a key. `entry.version` is ignored: the version becomes `expectedVersion + 1`.
    function setEntry(bytes32 key, Entry calldata entry, uint64 expectedVersion) external onlyController nonReentrant {
        Entry storage stored = entries[key];
        if (stored.version != expectedVersion) revert VersionMismatch(stored.version);
        if (uint256(entry.performanceBps) + entry.markupBps > MAX_BPS) revert InvalidBps();
        _checkRecipient(entry.performanceCollector, entry.performanceBps);
        _checkRecipient(entry.markupRecipient, entry.markupBps);
        if (stored.vault == address(0)) {
            if (entry.vault.code.length == 0) revert InvalidVault();
            uint8 decimals = IERC4626(entry.vault).decimals();
            if (decimals > MAX_DECIMALS) revert InvalidVault();
            samples[key] = 10 ** (uint256(decimals) + 18);
        } else if (stored.vault != entry.vault) {
            revert VaultFixed();
        }
        entries[key] = entry;
        entries[key].version = expectedVersion + 1;
        emit EntrySet(key, entries[key]);
    }

    function pause() external onlyController {
        _pause();
    }

    function unpause() external onlyController {
        _unpause();
    }

    /// Consents to collections of up to `maxBps` of the growth from now on: the mark becomes the current price, the recorded shares the
    /// balance. A wallet that is enrolled already keeps its mark where that is higher. Works while paused.
    function enrol(bytes32 key, uint16 maxBps) external nonReentrant {
        if (maxBps > MAX_BPS) revert InvalidBps();
        IERC4626 vault = _vaultOf(key);
        uint256 priceRay = _priceRay(key, vault);
        if (priceRay == 0) revert ZeroPrice();
        Mark storage mark = marks[key][msg.sender];
        (mark.ray, mark.shares) = (Math.max(mark.ray, priceRay), vault.balanceOf(msg.sender));
        (mark.setAt, mark.maxBps) = (uint64(block.timestamp), maxBps);
        emit Enrolled(key, msg.sender, mark.ray, mark.shares, maxBps);
    }

    /// Withdraws the consent. Works while paused.
    function leave(bytes32 key) external nonReentrant {
        if (marks[key][msg.sender].ray == 0) revert NotEnrolled();
        delete marks[key][msg.sender];
        emit Left(key, msg.sender);
    }

    /// Records the balance of the caller: shares gained since the last record are marked at the current price. Belongs right
    /// after a deposit, a withdrawal or a transfer. Works while paused.
    function record(bytes32 key) external nonReentrant {
        Mark storage mark = marks[key][msg.sender];
        if (mark.ray == 0) revert NotEnrolled();
        Position memory position = _positionOf(key, msg.sender);
        if (position.priceRay == 0) revert ZeroPrice();
        (mark.ray, mark.shares) = (position.markRay, position.balance);
        mark.setAt = uint64(position.markSetAt);
        emit Recorded(key, msg.sender, mark.ray, mark.shares);
    }

    /// Takes shares of a wallet for a period. The rest of what was collectable is waived.
    function collect(bytes32 key, address wallet, uint64 periodId, uint256 shares)
        external
        onlyController
        whenNotPaused
        nonReentrant
    {
        Entry memory entry = entries[key];
        if (!entry.live) revert NotLive();
        Mark storage mark = marks[key][wallet];
        if (mark.ray == 0) revert NotEnrolled();
        if (periodId <= lastPeriodOf[key][wallet]) revert PeriodCollected(lastPeriodOf[key][wallet]);
        if (shares == 0) revert NothingToCollect();
        Position memory position = _positionOf(key, wallet);
        uint256 limit = _collectable(key, wallet, position);
        if (shares > limit) revert TooManyShares(limit);

        lastPeriodOf[key][wallet] = periodId;
        (mark.ray, mark.shares) = (position.countedRay, position.balance - shares);
        mark.setAt = uint64(block.timestamp);
        uint256 performanceShares =
            Math.mulDiv(shares, entry.performanceBps, uint256(entry.performanceBps) + entry.markupBps);
        uint256 markupShares = shares - performanceShares;
        emit Collected(
            key, wallet, periodId, performanceShares, markupShares, position.countedRay, position.priceRay
        );
        _pull(entry.vault, wallet, entry.performanceCollector, performanceShares);
        _pull(entry.vault, wallet, entry.markupRecipient, markupShares);
    }

    function entryOf(bytes32 key) external view returns (Entry memory) {
        return entries[key];
    }

    /// The mark as it was stored last. `markRay` is 0 for a wallet that is not enrolled.
    function markOf(bytes32 key, address wallet)
        external
        view
        returns (uint256 markRay, uint256 shares, uint16 maxBps)
    {
        Mark storage mark = marks[key][wallet];
        return (mark.ray, mark.shares, mark.maxBps);
    }

    /// Shares that a collection may take now. 0 while paused, not live or not enrolled, without balance or allowance, and where the
    /// price is not above the mark.
    function collectable(bytes32 key, address wallet) external view returns (uint256 shares) {
        if (paused() || !entries[key].live || marks[key][wallet].ray == 0) return 0;
        return _collectable(key, wallet, _positionOf(key, wallet));
    }

    function _collectable(bytes32 key, address wallet, Position memory position) private view returns (uint256) {
        if (position.countedRay <= position.markRay) return 0;
        Entry storage entry = entries[key];
        uint256 bps = Math.min(uint256(entry.performanceBps) + entry.markupBps, marks[key][wallet].maxBps);
        uint256 growth = (position.countedRay - position.markRay) * bps;
        // By the price of now, so that the shares are worth the fee also where only a part of the growth counts.
        uint256 shares = Math.mulDiv(position.balance, growth, position.priceRay * ALL_BPS);
        return Math.min(shares, IERC4626(entry.vault).allowance(wallet, address(this)));
    }

    function _positionOf(bytes32 key, address wallet) private view returns (Position memory position) {
        IERC4626 vault = _vaultOf(key);
        Mark memory mark = marks[key][wallet];
        position.balance = vault.balanceOf(wallet);
        position.priceRay = _priceRay(key, vault);
        (position.markRay, position.markSetAt) = (mark.ray, mark.setAt);
        if (position.balance > mark.shares) {
            uint256 gained = position.balance - mark.shares;
            position.markRay = _weighted(mark.ray, position.priceRay, gained, position.balance);
            position.markSetAt = _weighted(mark.setAt, block.timestamp, gained, position.balance);
        }
        uint256 time = Math.min(block.timestamp - position.markSetAt, MAX_GROWTH_TIME);
        uint256 growth = Math.mulDiv(position.markRay, time * MAX_DAILY_GROWTH_BPS, 1 days * ALL_BPS);
        position.countedRay = Math.min(position.priceRay, position.markRay + growth);
    }

    /// Average of two values, rounded up: `gained` of `all` shares have the second one, the others the first.
    function _weighted(uint256 first, uint256 second, uint256 gained, uint256 all) private pure returns (uint256) {
        if (second >= first) return first + Math.mulDiv(second - first, gained, all, Math.Rounding.Ceil);
        return first - Math.mulDiv(first - second, gained, all);
    }

    function _priceRay(bytes32 key, IERC4626 vault) private view returns (uint256) {
        uint256 sample = samples[key];
        return Math.mulDiv(vault.convertToAssets(sample), RAY, sample);
    }

    function _vaultOf(bytes32 key) private view returns (IERC4626) {
        address vault = entries[key].vault;
        if (vault == address(0)) revert UnknownKey();
        return IERC4626(vault);
    }

    function _checkRecipient(address recipient, uint16 bps) private view {
        if (recipient == address(this) || (bps > 0 && recipient == address(0))) revert InvalidRecipient();
    }

    function _pull(address vault, address wallet, address recipient, uint256 shares) private {
        if (shares > 0) IERC20(vault).safeTransferFrom(wallet, recipient, shares);
    }
}
