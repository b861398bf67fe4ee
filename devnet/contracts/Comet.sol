// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// A market with the interface of Compound III, without collateral: one borrower is trusted instead. Rates, rounding, events
/// and errors are those of the protocol, and so is what deposits accrue for rewards.
contract Comet {
    error Absurd();
    error BadAsset();
    error NotCollateralized();
    error Paused();
    error Unauthorized();

    event Supply(address indexed from, address indexed dst, uint256 amount);
    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Withdraw(address indexed src, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    struct TotalsBasic {
        uint64 baseSupplyIndex;
        uint64 baseBorrowIndex;
        uint64 trackingSupplyIndex;
        uint64 trackingBorrowIndex;
        uint104 totalSupplyBase;
        uint104 totalBorrowBase;
        uint40 lastAccrualTime;
        uint8 pauseFlags;
    }

    struct UserBasic {
        int104 principal;
        uint64 baseTrackingIndex;
        uint64 baseTrackingAccrued;
        uint16 assetsIn;
        uint8 _reserved;
    }

    uint256 private constant INDEX_SCALE = 1e15;
    uint256 private constant FACTOR_SCALE = 1e18;
    uint256 private constant YEAR = 365 days;
    uint256 private constant BASE_ACCRUAL_SCALE = 1e6;

    uint256 public constant supplyKink = 0.9e18;
    uint256 public constant borrowKink = 0.9e18;
    uint256 public constant supplyPerSecondInterestRateBase = 0;
    uint256 public constant supplyPerSecondInterestRateSlopeLow = 0.054e18 / YEAR;
    uint256 public constant supplyPerSecondInterestRateSlopeHigh = 3.034e18 / YEAR;
    uint256 public constant borrowPerSecondInterestRateBase = 0.015e18 / YEAR;
    uint256 public constant borrowPerSecondInterestRateSlopeLow = 0.05e18 / YEAR;
    uint256 public constant borrowPerSecondInterestRateSlopeHigh = 3.4e18 / YEAR;
    uint256 public constant trackingIndexScale = 1e15;
    /// Whole reward tokens a second for all deposits, with 15 decimals.
    uint256 public constant baseTrackingSupplySpeed = 70e15 / uint256(1 days);

    address public immutable baseToken;
    address public immutable governor;
    /// The only account that owes base tokens.
    address public immutable borrower;
    uint8 public immutable decimals;
    uint256 private immutable baseScale;
    string public name;
    string public symbol;

    uint64 private baseSupplyIndex = uint64(INDEX_SCALE);
    uint64 private baseBorrowIndex = uint64(INDEX_SCALE);
    uint64 private trackingSupplyIndex;
    uint104 private totalSupplyBase;
    uint104 private totalBorrowBase;
    uint40 private lastAccrualTime;
    bool public isSupplyPaused;
    bool public isTransferPaused;
    bool public isWithdrawPaused;
    mapping(address account => int104) private principals;
    mapping(address account => uint64) private baseTrackingIndices;
    mapping(address account => uint64) public baseTrackingAccrued;
    mapping(address owner => mapping(address manager => bool)) public isAllowed;

    constructor(address baseToken_, uint8 decimals_, string memory name_, string memory symbol_, address borrower_) {
        (baseToken, decimals, name, symbol, borrower) = (baseToken_, decimals_, name_, symbol_, borrower_);
        governor = msg.sender;
        baseScale = 10 ** decimals_;
        lastAccrualTime = uint40(block.timestamp);
    }

    function pause(bool supplyPaused, bool transferPaused, bool withdrawPaused, bool, bool) external {
        if (msg.sender != governor) revert Unauthorized();
        (isSupplyPaused, isTransferPaused, isWithdrawPaused) = (supplyPaused, transferPaused, withdrawPaused);
    }

    /// A loan to the borrower.
    function lend(uint256 amount) external {
        if (msg.sender != governor) revert Unauthorized();
        accrue();
        changeBalance(borrower, -int256(amount));
        SafeERC20.safeTransfer(IERC20(baseToken), borrower, amount);
    }

    function allow(address manager, bool isAllowed_) external {
        isAllowed[msg.sender][manager] = isAllowed_;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        if (amount != 0 && amount != type(uint256).max) revert Absurd();
        isAllowed[msg.sender][spender] = amount != 0;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return isAllowed[owner][spender] ? type(uint256).max : 0;
    }

    function supply(address asset, uint256 amount) external {
        supplyBase(msg.sender, asset, amount);
    }

    function supplyTo(address dst, address asset, uint256 amount) external {
        supplyBase(dst, asset, amount);
    }

    function withdraw(address asset, uint256 amount) external {
        withdrawBase(msg.sender, msg.sender, asset, amount);
    }

    function withdrawTo(address to, address asset, uint256 amount) external {
        withdrawBase(msg.sender, to, asset, amount);
    }

    function withdrawFrom(address src, address to, address asset, uint256 amount) external {
        if (msg.sender != src && !isAllowed[src][msg.sender]) revert Unauthorized();
        withdrawBase(src, to, asset, amount);
    }

    function transfer(address dst, uint256 amount) external returns (bool) {
        return transferBase(msg.sender, dst, amount);
    }

    function transferFrom(address src, address dst, uint256 amount) external returns (bool) {
        if (msg.sender != src && !isAllowed[src][msg.sender]) revert Unauthorized();
        return transferBase(src, dst, amount);
    }

    function totalsBasic() external view returns (TotalsBasic memory) {
        return TotalsBasic({
            baseSupplyIndex: baseSupplyIndex,
            baseBorrowIndex: baseBorrowIndex,
            trackingSupplyIndex: trackingSupplyIndex,
            trackingBorrowIndex: 0,
            totalSupplyBase: totalSupplyBase,
            totalBorrowBase: totalBorrowBase,
            lastAccrualTime: lastAccrualTime,
            pauseFlags: (isSupplyPaused ? 1 : 0) | (isTransferPaused ? 2 : 0) | (isWithdrawPaused ? 4 : 0)
        });
    }

    function userBasic(address account) external view returns (UserBasic memory) {
        return UserBasic(principals[account], baseTrackingIndices[account], baseTrackingAccrued[account], 0, 0);
    }

    /// The least deposits for which rewards accrue.
    function baseMinForRewards() public view returns (uint256) {
        return 1000 * baseScale;
    }

    function accrueAccount(address account) external {
        accrue();
        track(account);
    }

    function balanceOf(address account) public view returns (uint256) {
        (uint64 supplyIndex,) = accruedIndices();
        int104 principal = principals[account];
        return principal > 0 ? presentSupply(supplyIndex, uint104(principal)) : 0;
    }

    function borrowBalanceOf(address account) public view returns (uint256) {
        (, uint64 borrowIndex) = accruedIndices();
        int104 principal = principals[account];
        return principal < 0 ? presentBorrow(borrowIndex, uint104(-principal)) : 0;
    }

    function totalSupply() external view returns (uint256) {
        (uint64 supplyIndex,) = accruedIndices();
        return presentSupply(supplyIndex, totalSupplyBase);
    }

    function totalBorrow() external view returns (uint256) {
        (, uint64 borrowIndex) = accruedIndices();
        return presentBorrow(borrowIndex, totalBorrowBase);
    }

    function getUtilization() public view returns (uint256) {
        uint256 supplied = presentSupply(baseSupplyIndex, totalSupplyBase);
        return supplied == 0 ? 0 : (presentBorrow(baseBorrowIndex, totalBorrowBase) * FACTOR_SCALE) / supplied;
    }

    function getSupplyRate(uint256 utilization) public pure returns (uint64) {
        if (utilization <= supplyKink) {
            return uint64(
                supplyPerSecondInterestRateBase + mulFactor(supplyPerSecondInterestRateSlopeLow, utilization)
            );
        }
        return uint64(
            supplyPerSecondInterestRateBase + mulFactor(supplyPerSecondInterestRateSlopeLow, supplyKink)
                + mulFactor(supplyPerSecondInterestRateSlopeHigh, utilization - supplyKink)
        );
    }

    function getBorrowRate(uint256 utilization) public pure returns (uint64) {
        if (utilization <= borrowKink) {
            return uint64(
                borrowPerSecondInterestRateBase + mulFactor(borrowPerSecondInterestRateSlopeLow, utilization)
            );
        }
        return uint64(
            borrowPerSecondInterestRateBase + mulFactor(borrowPerSecondInterestRateSlopeLow, borrowKink)
                + mulFactor(borrowPerSecondInterestRateSlopeHigh, utilization - borrowKink)
        );
    }

    function supplyBase(address dst, address asset, uint256 amount) private {
        if (isSupplyPaused) revert Paused();
        if (asset != baseToken) revert BadAsset();
        if (amount == type(uint256).max) amount = borrowBalanceOf(dst);
        SafeERC20.safeTransferFrom(IERC20(baseToken), msg.sender, address(this), amount);
        accrue();
        uint256 supplied = changeBalance(dst, int256(amount));
        emit Supply(msg.sender, dst, amount);
        if (supplied != 0) emit Transfer(address(0), dst, presentSupply(baseSupplyIndex, supplied));
    }

    function withdrawBase(address src, address to, address asset, uint256 amount) private {
        if (isWithdrawPaused) revert Paused();
        if (asset != baseToken) revert BadAsset();
        if (amount == type(uint256).max) amount = balanceOf(src);
        accrue();
        uint256 withdrawn = changeBalance(src, -int256(amount));
        SafeERC20.safeTransfer(IERC20(baseToken), to, amount);
        emit Withdraw(src, to, amount);
        if (withdrawn != 0) emit Transfer(src, address(0), presentSupply(baseSupplyIndex, withdrawn));
    }

    function transferBase(address src, address dst, uint256 amount) private returns (bool) {
        if (isTransferPaused) revert Paused();
        if (amount == type(uint256).max) amount = balanceOf(src);
        accrue();
        uint256 withdrawn = changeBalance(src, -int256(amount));
        uint256 supplied = changeBalance(dst, int256(amount));
        if (withdrawn != 0) emit Transfer(src, address(0), presentSupply(baseSupplyIndex, withdrawn));
        if (supplied != 0) emit Transfer(address(0), dst, presentSupply(baseSupplyIndex, supplied));
        return true;
    }

    /// Adds to what an account has, or takes from it. Returns by how much the principal of its deposit changes.
    function changeBalance(address account, int256 amount) private returns (uint256) {
        int104 before = principals[account];
        int104 afterwards = principalOf(presentOf(before) + amount);
        if (afterwards < 0 && afterwards < before && account != borrower) revert NotCollateralized();
        track(account);
        principals[account] = afterwards;
        (uint104 supplied, uint104 newSupplied) = (positive(before), positive(afterwards));
        totalSupplyBase = totalSupplyBase + newSupplied - supplied;
        totalBorrowBase = totalBorrowBase + positive(-afterwards) - positive(-before);
        return newSupplied > supplied ? newSupplied - supplied : supplied - newSupplied;
    }

    /// Adds what the deposit of an account has earned for rewards since the last time.
    function track(address account) private {
        uint256 earned = positive(principals[account]) * uint256(trackingSupplyIndex - baseTrackingIndices[account]);
        baseTrackingAccrued[account] += uint64(earned / trackingIndexScale / (baseScale / BASE_ACCRUAL_SCALE));
        baseTrackingIndices[account] = trackingSupplyIndex;
    }

    function accrue() private {
        if (totalSupplyBase >= baseMinForRewards()) {
            uint256 emitted = baseTrackingSupplySpeed * (block.timestamp - lastAccrualTime);
            trackingSupplyIndex += uint64((emitted * baseScale) / totalSupplyBase);
        }
        (baseSupplyIndex, baseBorrowIndex) = accruedIndices();
        lastAccrualTime = uint40(block.timestamp);
    }

    function accruedIndices() private view returns (uint64 supplyIndex, uint64 borrowIndex) {
        uint256 elapsed = block.timestamp - lastAccrualTime;
        uint256 utilization = getUtilization();
        supplyIndex = baseSupplyIndex + uint64(mulFactor(baseSupplyIndex, getSupplyRate(utilization) * elapsed));
        borrowIndex = baseBorrowIndex + uint64(mulFactor(baseBorrowIndex, getBorrowRate(utilization) * elapsed));
    }

    function presentOf(int104 principal) private view returns (int256) {
        return principal >= 0
            ? int256(presentSupply(baseSupplyIndex, uint104(principal)))
            : -int256(presentBorrow(baseBorrowIndex, uint104(-principal)));
    }

    function principalOf(int256 present) private view returns (int104) {
        if (present >= 0) return int104(int256((uint256(present) * INDEX_SCALE) / baseSupplyIndex));
        return -int104(int256((uint256(-present) * INDEX_SCALE + baseBorrowIndex - 1) / baseBorrowIndex));
    }

    function presentSupply(uint64 index, uint256 principal) private pure returns (uint256) {
        return (principal * index) / INDEX_SCALE;
    }

    function presentBorrow(uint64 index, uint256 principal) private pure returns (uint256) {
        return (principal * index) / INDEX_SCALE;
    }

    function positive(int104 value) private pure returns (uint104) {
        return value > 0 ? uint104(value) : 0;
    }

    function mulFactor(uint256 value, uint256 factor) private pure returns (uint256) {
        return (value * factor) / FACTOR_SCALE;
    }
}
