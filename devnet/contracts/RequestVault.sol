// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {FaucetToken} from "./FaucetToken.sol";

/// A vault of ERC-7540 on a local chain: deposits and withdrawals are requested, wait until an account fulfils them at the
/// price of that moment, and are claimed. Either side may be that of ERC-4626 instead. Its assets earn interest, which is
/// minted. Any account may fulfil requests: money of a local chain is worth nothing.
contract RequestVault is ERC4626 {
    using SafeERC20 for IERC20;
    using Math for uint256;

    error PreviewOfRequest();
    error NotController();
    error TooMuchClaimed();
    error NothingRequested();

    event DepositRequest(
        address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets
    );
    event RedeemRequest(
        address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares
    );
    event OperatorSet(address indexed controller, address indexed operator, bool approved);

    /// What a controller has requested on one side. A fulfilled request gives `claimableOut` for `claimableIn`.
    struct Request {
        uint256 pending;
        uint256 claimableIn;
        uint256 claimableOut;
    }

    uint256 private constant YEAR = 365 days;
    uint256 private constant ONE = 1e18;
    bytes4 private constant ASYNC_DEPOSITS = 0xce3bbe50;
    bytes4 private constant ASYNC_REDEMPTIONS = 0x620ee8e4;

    /// Simple interest of a year, with 18 decimals.
    uint256 public immutable yearlyRate;
    bool public immutable asyncDeposits;
    bool public immutable asyncRedemptions;

    mapping(address controller => mapping(address operator => bool)) public isOperator;
    mapping(address controller => Request) private deposits;
    mapping(address controller => Request) private redemptions;
    /// Controllers with a request that waits, and their place in the list, counted from 1.
    address[] private waiting;
    mapping(address controller => uint256) private placeOf;

    /// Assets behind the shares, without those of requests, and when their interest was last added.
    uint256 private invested;
    uint256 private accruedAt;

    constructor(
        IERC20 asset_,
        string memory name_,
        string memory symbol_,
        uint256 yearlyRate_,
        bool asyncDeposits_,
        bool asyncRedemptions_
    ) ERC20(name_, symbol_) ERC4626(asset_) {
        yearlyRate = yearlyRate_;
        asyncDeposits = asyncDeposits_;
        asyncRedemptions = asyncRedemptions_;
        accruedAt = block.timestamp;
    }

    function share() external view returns (address) {
        return address(this);
    }

    function supportsInterface(bytes4 id) external view returns (bool) {
        if (id == ASYNC_DEPOSITS) return asyncDeposits;
        if (id == ASYNC_REDEMPTIONS) return asyncRedemptions;
        // ERC-165, operators, ERC-7575.
        return id == 0x01ffc9a7 || id == 0xe3bc4e65 || id == 0x2f0a18c5;
    }

    function setOperator(address operator, bool approved) external returns (bool) {
        isOperator[msg.sender][operator] = approved;
        emit OperatorSet(msg.sender, operator, approved);
        return true;
    }

    // Requests

    function requestDeposit(uint256 assets, address controller, address owner) public virtual returns (uint256) {
        _onlyFor(owner);
        if (!asyncDeposits || assets == 0) revert NothingRequested();
        IERC20(asset()).safeTransferFrom(owner, address(this), assets);
        deposits[controller].pending += assets;
        _wait(controller);
        emit DepositRequest(controller, owner, 0, msg.sender, assets);
        return 0;
    }

    function requestRedeem(uint256 shares, address controller, address owner) public virtual returns (uint256) {
        _onlyFor(owner);
        if (!asyncRedemptions || shares == 0) revert NothingRequested();
        _transfer(owner, address(this), shares);
        redemptions[controller].pending += shares;
        _wait(controller);
        emit RedeemRequest(controller, owner, 0, msg.sender, shares);
        return 0;
    }

    function pendingDepositRequest(uint256, address controller) public view virtual returns (uint256) {
        return deposits[controller].pending;
    }

    function claimableDepositRequest(uint256, address controller) public view virtual returns (uint256) {
        return deposits[controller].claimableIn;
    }

    function pendingRedeemRequest(uint256, address controller) public view virtual returns (uint256) {
        return redemptions[controller].pending;
    }

    function claimableRedeemRequest(uint256, address controller) public view virtual returns (uint256) {
        return redemptions[controller].claimableIn;
    }

    /// Controllers whose requests wait.
    function waitingControllers() external view returns (address[] memory) {
        return waiting;
    }

    // Fulfilment

    /// Fulfils all that a controller has requested.
    function fulfil(address controller) external {
        fulfilDeposit(controller, deposits[controller].pending);
        fulfilRedeem(controller, redemptions[controller].pending);
    }

    function fulfilDeposit(address controller, uint256 assets) public {
        if (assets == 0) return;
        _accrue();
        uint256 shares = _convertToShares(assets, Math.Rounding.Floor);
        _settle(deposits[controller], controller, assets, shares);
        invested += assets;
        _mint(address(this), shares);
    }

    function fulfilRedeem(address controller, uint256 shares) public {
        if (shares == 0) return;
        _accrue();
        uint256 assets = _convertToAssets(shares, Math.Rounding.Floor);
        _settle(redemptions[controller], controller, shares, assets);
        invested -= assets;
        _burn(address(this), shares);
    }

    // Claims

    function deposit(uint256 assets, address receiver) public override returns (uint256) {
        return asyncDeposits ? deposit(assets, receiver, msg.sender) : super.deposit(assets, receiver);
    }

    function deposit(uint256 assets, address receiver, address controller) public returns (uint256 shares) {
        _onlyFor(controller);
        Request storage request = deposits[controller];
        if (assets == 0 || assets > request.claimableIn) revert TooMuchClaimed();
        shares = assets.mulDiv(request.claimableOut, request.claimableIn);
        _giveShares(controller, receiver, assets, shares);
    }

    function mint(uint256 shares, address receiver) public override returns (uint256) {
        return asyncDeposits ? mint(shares, receiver, msg.sender) : super.mint(shares, receiver);
    }

    function mint(uint256 shares, address receiver, address controller) public returns (uint256 assets) {
        _onlyFor(controller);
        Request storage request = deposits[controller];
        if (shares == 0 || shares > request.claimableOut) revert TooMuchClaimed();
        assets = shares.mulDiv(request.claimableIn, request.claimableOut, Math.Rounding.Ceil);
        _giveShares(controller, receiver, assets, shares);
    }

    function withdraw(uint256 assets, address receiver, address controller) public override returns (uint256 shares) {
        if (!asyncRedemptions) return super.withdraw(assets, receiver, controller);
        _onlyFor(controller);
        Request storage request = redemptions[controller];
        if (assets == 0 || assets > request.claimableOut) revert TooMuchClaimed();
        shares = assets.mulDiv(request.claimableIn, request.claimableOut, Math.Rounding.Ceil);
        _payAssets(controller, receiver, assets, shares);
    }

    function redeem(uint256 shares, address receiver, address controller) public override returns (uint256 assets) {
        if (!asyncRedemptions) return super.redeem(shares, receiver, controller);
        _onlyFor(controller);
        Request storage request = redemptions[controller];
        if (shares == 0 || shares > request.claimableIn) revert TooMuchClaimed();
        assets = shares.mulDiv(request.claimableOut, request.claimableIn);
        _payAssets(controller, receiver, assets, shares);
    }

    // ERC-4626

    function totalAssets() public view override returns (uint256) {
        return invested + pendingInterest();
    }

    function pendingInterest() public view returns (uint256) {
        if (totalSupply() == 0) return 0;
        return (invested * yearlyRate * (block.timestamp - accruedAt)) / (YEAR * ONE);
    }

    function maxDeposit(address controller) public view virtual override returns (uint256) {
        return asyncDeposits ? deposits[controller].claimableIn : super.maxDeposit(controller);
    }

    function maxMint(address controller) public view virtual override returns (uint256) {
        return asyncDeposits ? deposits[controller].claimableOut : super.maxMint(controller);
    }

    function maxWithdraw(address controller) public view virtual override returns (uint256) {
        return asyncRedemptions ? redemptions[controller].claimableOut : super.maxWithdraw(controller);
    }

    function maxRedeem(address controller) public view virtual override returns (uint256) {
        return asyncRedemptions ? redemptions[controller].claimableIn : super.maxRedeem(controller);
    }

    function previewDeposit(uint256 assets) public view override returns (uint256) {
        if (asyncDeposits) revert PreviewOfRequest();
        return super.previewDeposit(assets);
    }

    function previewMint(uint256 shares) public view override returns (uint256) {
        if (asyncDeposits) revert PreviewOfRequest();
        return super.previewMint(shares);
    }

    function previewWithdraw(uint256 assets) public view override returns (uint256) {
        if (asyncRedemptions) revert PreviewOfRequest();
        return super.previewWithdraw(assets);
    }

    function previewRedeem(uint256 shares) public view override returns (uint256) {
        if (asyncRedemptions) revert PreviewOfRequest();
        return super.previewRedeem(shares);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal override {
        _accrue();
        invested += assets;
        super._deposit(caller, receiver, assets, shares);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        _accrue();
        invested -= assets;
        super._withdraw(caller, receiver, owner, assets, shares);
    }

    function _giveShares(address controller, address receiver, uint256 assets, uint256 shares) internal virtual {
        _take(deposits[controller], assets, shares);
        _transfer(address(this), receiver, shares);
        emit Deposit(controller, receiver, assets, shares);
    }

    function _payAssets(address controller, address receiver, uint256 assets, uint256 shares) internal virtual {
        _take(redemptions[controller], shares, assets);
        IERC20(asset()).safeTransfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    function _decimalsOffset() internal pure override returns (uint8) {
        return 6;
    }

    function _settle(Request storage request, address controller, uint256 taken, uint256 given) private {
        request.pending -= taken;
        request.claimableIn += taken;
        request.claimableOut += given;
        if (deposits[controller].pending == 0 && redemptions[controller].pending == 0) _stopWaiting(controller);
    }

    function _take(Request storage request, uint256 taken, uint256 given) private {
        request.claimableIn -= taken;
        request.claimableOut -= given;
    }

    function _accrue() private {
        uint256 interest = pendingInterest();
        accruedAt = block.timestamp;
        if (interest == 0) return;
        invested += interest;
        FaucetToken(asset()).mint(address(this), interest);
    }

    function _onlyFor(address account) private view {
        if (account != msg.sender && !isOperator[account][msg.sender]) revert NotController();
    }

    function _wait(address controller) private {
        if (placeOf[controller] != 0) return;
        waiting.push(controller);
        placeOf[controller] = waiting.length;
    }

    function _stopWaiting(address controller) private {
        uint256 place = placeOf[controller];
        if (place == 0) return;
        address last = waiting[waiting.length - 1];
        waiting[place - 1] = last;
        placeOf[last] = place;
        waiting.pop();
        delete placeOf[controller];
    }
}
