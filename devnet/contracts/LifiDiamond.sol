// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Plays LI.FI's diamond on the local chains: takes what is sold, less a fee, swaps it at a router where that is asked for,
/// and pays it to its receiver, or to the relayer that pays the receiver on another chain. The zero address is the coin.
contract LifiDiamond {
    using SafeERC20 for IERC20;

    struct Order {
        bytes32 transactionId;
        address tokenIn;
        uint256 amountIn;
        /// Part of `amountIn` that stays here.
        uint256 fee;
        address receiver;
        /// Least that the receiver gets, or everything reverts.
        uint256 minimum;
    }

    struct Swap {
        /// No swap when zero.
        address router;
        bytes data;
        address tokenOut;
    }

    struct Bridge {
        uint256 destinationChainId;
        address tokenOut;
        /// Part of what is bridged that the relayer keeps.
        uint256 relayFee;
        /// Coin for the message to the other chain, on top of what is sold.
        uint256 messageFee;
    }

    event SwapCompleted(bytes32 indexed transactionId, address indexed receiver, address tokenOut, uint256 amountOut);
    event TransferStarted(
        bytes32 indexed transactionId,
        address indexed sender,
        address receiver,
        address bridgedToken,
        uint256 bridgedAmount,
        uint256 minimum,
        Bridge bridge
    );

    event TransferCompleted(bytes32 indexed transferId, address indexed receiver, address token, uint256 amount);

    address public immutable relayer;
    mapping(bytes32 => bool) public isCompleted;

    constructor(address relayer_) {
        relayer = relayer_;
    }

    receive() external payable {}

    function swap(Order calldata order, Swap calldata step) external payable {
        uint256 amountOut = _swapped(step, order.tokenIn, _collected(order, 0));
        require(amountOut >= order.minimum, "CumulativeSlippageTooHigh");
        _pay(step.tokenOut, order.receiver, amountOut);
        emit SwapCompleted(order.transactionId, order.receiver, step.tokenOut, amountOut);
    }

    function bridge(Order calldata order, Swap calldata step, Bridge calldata transfer) external payable {
        uint256 amount = _swapped(step, order.tokenIn, _collected(order, transfer.messageFee));
        require(amount >= order.minimum + transfer.relayFee, "CumulativeSlippageTooHigh");
        address bridged = step.router == address(0) ? order.tokenIn : step.tokenOut;
        _pay(bridged, relayer, amount);
        if (transfer.messageFee != 0) _pay(address(0), relayer, transfer.messageFee);
        emit TransferStarted(
            order.transactionId, msg.sender, order.receiver, bridged, amount, order.minimum, transfer
        );
    }

    /// Pays what was started on another chain, or back what was started here, with the tokens of the relayer. Once.
    function complete(bytes32 transferId, address receiver, address token, uint256 amount) external payable {
        require(msg.sender == relayer && !isCompleted[transferId], "AlreadyProcessed");
        isCompleted[transferId] = true;
        if (token == address(0)) require(msg.value == amount, "InvalidAmount");
        else IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        _pay(token, receiver, amount);
        emit TransferCompleted(transferId, receiver, token, amount);
    }

    /// What is left to be swapped or bridged.
    function _collected(Order calldata order, uint256 messageFee) private returns (uint256) {
        bool isCoin = order.tokenIn == address(0);
        require(msg.value == messageFee + (isCoin ? order.amountIn : 0), "InvalidAmount");
        if (!isCoin) IERC20(order.tokenIn).safeTransferFrom(msg.sender, address(this), order.amountIn);
        return order.amountIn - order.fee;
    }

    function _swapped(Swap calldata step, address tokenIn, uint256 amount) private returns (uint256) {
        if (step.router == address(0)) return amount;
        bool isCoin = tokenIn == address(0);
        if (!isCoin) IERC20(tokenIn).forceApprove(step.router, amount);
        uint256 before = _balance(step.tokenOut);
        (bool success,) = step.router.call{value: isCoin ? amount : 0}(step.data);
        require(success, "the swap failed");
        return _balance(step.tokenOut) - before;
    }

    function _balance(address token) private view returns (uint256) {
        return token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
    }

    function _pay(address token, address to, uint256 amount) private {
        if (token != address(0)) return IERC20(token).safeTransfer(to, amount);
        (bool success,) = to.call{value: amount}("");
        require(success, "the coin was refused");
    }
}
