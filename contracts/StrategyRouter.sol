// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// The Pool of Aave V3.
interface IAavePool {
    function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode) external;
    function withdraw(address asset, uint256 amount, address to) external returns (uint256);
}

/// A market of Compound V3.
interface IComet {
    function balanceOf(address account) external view returns (uint256);
    function supplyTo(address dst, address asset, uint256 amount) external;
    function withdrawFrom(address src, address to, address asset, uint256 amount) external;
}

/// Deposits into strategies, and withdrawals from them, in one call with a minimum and with the fees inside.
///
/// It acts for its caller alone: every token that it takes is the caller's. It has no owner, no state, no upgrade and no call
/// whose function the caller chooses. After each call it holds what it held before, and has approved nothing. What is sent to
/// it outside of a call is lost: no account can take it out, except aTokens, which the next
/// withdrawal pays out.
contract StrategyRouter is ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// Base units of the asset for a recipient.
    struct Fee {
        address recipient;
        uint256 amount;
    }

    struct Deposit {
        /// The vault, the Pool or the Comet.
        address market;
        IERC20 asset;
        /// The token that shows the deposit: vault share, aToken or Comet.
        IERC20 receipt;
        /// What goes into the market. The caller pays the fees on top.
        uint256 assets;
        /// Owns the deposit.
        address receiver;
        /// What the receiver gets of the receipt token at least.
        uint256 minReceipt;
        Fee[] fees;
        /// The last second at which the call succeeds.
        uint256 deadline;
    }

    struct Withdrawal {
        address market;
        IERC20 asset;
        IERC20 receipt;
        /// Shares of a vault to redeem, otherwise assets to withdraw.
        uint256 amount;
        /// What the caller loses of the receipt token at most.
        uint256 maxReceipt;
        /// Gets what the fees leave.
        address receiver;
        /// What the receiver gets of the asset at least.
        uint256 minAssets;
        Fee[] fees;
        uint256 deadline;
    }

    /// Balances before the call to the market: the router's own, and that of the receipt token of who gains or loses it.
    struct Balances {
        uint256 asset;
        uint256 receipt;
        uint256 position;
    }

    event FeePaid(address indexed payer, address indexed recipient, address indexed asset, uint256 amount);

    error Expired(uint256 deadline);
    error InvalidReceiver(address receiver);
    error UnexpectedAmount(uint256 received, uint256 expected);
    error TooLittleReceived(uint256 received, uint256 minimum);
    error TooMuchTaken(uint256 taken, uint256 maximum);
    error ExceedsDeposit(uint256 amount, uint256 balance);
    error FeesExceedAssets(uint256 fees, uint256 assets);
    error FeeRefused(address recipient);
    error BalanceChanged(address token);

    /// Deposits into a vault of ERC-4626. The caller has approved `assets` and the fees.
    function depositVault(Deposit calldata terms) external nonReentrant returns (uint256 received) {
        Balances memory before = beginDeposit(terms);
        IERC4626(terms.market).deposit(terms.assets, terms.receiver);
        return endDeposit(terms, before);
    }

    /// The same into a reserve of Aave V3.
    function supplyAave(Deposit calldata terms) external nonReentrant returns (uint256 received) {
        Balances memory before = beginDeposit(terms);
        IAavePool(terms.market).supply(address(terms.asset), terms.assets, terms.receiver, 0);
        return endDeposit(terms, before);
    }

    /// The same into the base asset of a Comet. A debt of the receiver would be repaid first: then the minimum is missed.
    function supplyComet(Deposit calldata terms) external nonReentrant returns (uint256 received) {
        Balances memory before = beginDeposit(terms);
        IComet(terms.market).supplyTo(terms.receiver, address(terms.asset), terms.assets);
        return endDeposit(terms, before);
    }

    /// Redeems shares of the caller, who has approved them. They never belong to the router.
    function redeemVault(Withdrawal calldata terms) external nonReentrant returns (uint256 received) {
        Balances memory before = beginWithdrawal(terms);
        IERC4626(terms.market).redeem(terms.amount, address(this), msg.sender);
        return endWithdrawal(terms, before);
    }

    /// The same for an amount of assets.
    function withdrawVault(Withdrawal calldata terms) external nonReentrant returns (uint256 received) {
        Balances memory before = beginWithdrawal(terms);
        IERC4626(terms.market).withdraw(terms.amount, address(this), msg.sender);
        return endWithdrawal(terms, before);
    }

    /// Takes aTokens of the caller, who has approved them, and withdraws all that they are worth, which may differ by one unit
    /// from the amount. The largest integer is the whole balance.
    function withdrawAave(Withdrawal calldata terms) external nonReentrant returns (uint256 received) {
        Balances memory before = beginWithdrawal(terms);
        uint256 amount = terms.amount == type(uint256).max ? before.position : terms.amount;
        terms.receipt.safeTransferFrom(msg.sender, address(this), amount);
        IAavePool(terms.market).withdraw(address(terms.asset), type(uint256).max, address(this));
        // aTokens that were sent here before are paid out as well: they may be missing, but none may stay.
        before.receipt = Math.min(before.receipt, terms.receipt.balanceOf(address(this)));
        return endWithdrawal(terms, before);
    }

    /// Withdraws the base asset of a Comet for the caller, who has allowed the router to act there. Never borrows. The largest
    /// integer is the whole deposit.
    function withdrawComet(Withdrawal calldata terms) external nonReentrant returns (uint256 received) {
        Balances memory before = beginWithdrawal(terms);
        uint256 deposited = IComet(terms.market).balanceOf(msg.sender);
        if (terms.amount != type(uint256).max && terms.amount > deposited) {
            revert ExceedsDeposit(terms.amount, deposited);
        }
        IComet(terms.market).withdrawFrom(msg.sender, address(this), address(terms.asset), terms.amount);
        return endWithdrawal(terms, before);
    }

    function beginDeposit(Deposit calldata terms) private returns (Balances memory before) {
        checkTerms(terms.receiver, terms.deadline);
        before.asset = terms.asset.balanceOf(address(this));
        before.receipt = terms.receipt.balanceOf(address(this));
        uint256 total = terms.assets + sumOf(terms.fees);
        terms.asset.safeTransferFrom(msg.sender, address(this), total);
        uint256 pulled = terms.asset.balanceOf(address(this)) - before.asset;
        if (pulled != total) revert UnexpectedAmount(pulled, total);
        before.position = terms.receipt.balanceOf(terms.receiver);
        terms.asset.forceApprove(terms.market, terms.assets);
    }

    function endDeposit(Deposit calldata terms, Balances memory before) private returns (uint256 received) {
        if (terms.asset.allowance(address(this), terms.market) != 0) terms.asset.forceApprove(terms.market, 0);
        received = terms.receipt.balanceOf(terms.receiver) - before.position;
        if (received < terms.minReceipt) revert TooLittleReceived(received, terms.minReceipt);
        payFees(terms.asset, terms.fees);
        checkBalances(terms.asset, terms.receipt, before);
    }

    function beginWithdrawal(Withdrawal calldata terms) private view returns (Balances memory before) {
        checkTerms(terms.receiver, terms.deadline);
        before.asset = terms.asset.balanceOf(address(this));
        before.receipt = terms.receipt.balanceOf(address(this));
        before.position = terms.receipt.balanceOf(msg.sender);
    }

    function endWithdrawal(Withdrawal calldata terms, Balances memory before) private returns (uint256 received) {
        uint256 left = terms.receipt.balanceOf(msg.sender);
        uint256 taken = left < before.position ? before.position - left : 0;
        if (taken > terms.maxReceipt) revert TooMuchTaken(taken, terms.maxReceipt);
        uint256 assets = terms.asset.balanceOf(address(this)) - before.asset;
        uint256 fees = sumOf(terms.fees);
        if (fees > assets) revert FeesExceedAssets(fees, assets);
        payFees(terms.asset, terms.fees);
        uint256 held = terms.asset.balanceOf(terms.receiver);
        terms.asset.safeTransfer(terms.receiver, assets - fees);
        received = terms.asset.balanceOf(terms.receiver) - held;
        if (received < terms.minAssets) revert TooLittleReceived(received, terms.minAssets);
        checkBalances(terms.asset, terms.receipt, before);
    }

    function payFees(IERC20 asset, Fee[] calldata fees) private {
        for (uint256 index = 0; index < fees.length; ++index) {
            Fee calldata fee = fees[index];
            bool isPaid = fee.recipient != address(this) && asset.trySafeTransfer(fee.recipient, fee.amount);
            if (!isPaid) revert FeeRefused(fee.recipient);
            emit FeePaid(msg.sender, fee.recipient, address(asset), fee.amount);
        }
    }

    function sumOf(Fee[] calldata fees) private pure returns (uint256 sum) {
        for (uint256 index = 0; index < fees.length; ++index) sum += fees[index].amount;
    }

    function checkTerms(address receiver, uint256 deadline) private view {
        if (block.timestamp > deadline) revert Expired(deadline);
        if (receiver == address(0) || receiver == address(this)) revert InvalidReceiver(receiver);
    }

    /// A market or token that leaves something here, or takes something away, undoes the call.
    function checkBalances(IERC20 asset, IERC20 receipt, Balances memory before) private view {
        if (asset.balanceOf(address(this)) != before.asset) revert BalanceChanged(address(asset));
        if (receipt.balanceOf(address(this)) != before.receipt) revert BalanceChanged(address(receipt));
    }
}
