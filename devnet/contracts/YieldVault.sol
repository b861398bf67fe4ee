// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {FaucetToken} from "./FaucetToken.sol";

/// A vault of a local chain whose assets grow every second at a yearly rate. The interest is minted, which faucet tokens
/// allow. Any account may set the limits: money of a local chain is worth nothing.
contract YieldVault is ERC4626 {
    uint256 public constant YEAR = 365 days;
    uint256 private constant ONE = 1e18;

    /// Simple interest of a year, with 18 decimals.
    uint256 public immutable yearlyRate;
    uint8 private immutable offset;

    /// Assets that earn interest since `accruedAt`.
    uint256 private earning;
    uint256 private accruedAt;
    /// Total assets that the vault accepts.
    uint256 public depositCap = type(uint256).max;
    /// Assets that withdrawals may take at once.
    uint256 public liquidity = type(uint256).max;

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint256 yearlyRate_, uint8 offset_)
        ERC20(name_, symbol_)
        ERC4626(asset_)
    {
        yearlyRate = yearlyRate_;
        offset = offset_;
        accruedAt = block.timestamp;
    }

    function setDepositCap(uint256 cap) external {
        depositCap = cap;
    }

    function setLiquidity(uint256 assets) external {
        liquidity = assets;
    }

    function totalAssets() public view virtual override returns (uint256) {
        return super.totalAssets() + pendingInterest();
    }

    function maxDeposit(address) public view virtual override returns (uint256) {
        if (depositCap == type(uint256).max) return depositCap;
        uint256 assets = totalAssets();
        return assets < depositCap ? depositCap - assets : 0;
    }

    function maxMint(address receiver) public view virtual override returns (uint256) {
        uint256 assets = maxDeposit(receiver);
        return assets == type(uint256).max ? assets : convertToShares(assets);
    }

    function maxWithdraw(address owner) public view virtual override returns (uint256) {
        return Math.min(previewRedeem(balanceOf(owner)), liquidity);
    }

    function maxRedeem(address owner) public view virtual override returns (uint256) {
        uint256 shares = balanceOf(owner);
        return previewRedeem(shares) <= liquidity ? shares : Math.min(shares, convertToShares(liquidity));
    }

    /// Interest that the next deposit or withdrawal mints. Without shares it would belong to no depositor.
    function pendingInterest() public view returns (uint256) {
        if (totalSupply() == 0) return 0;
        return (earning * yearlyRate * (block.timestamp - accruedAt)) / (YEAR * ONE);
    }

    function _deposit(address caller, address receiver, uint256 assets, uint256 shares) internal virtual override {
        _accrue();
        super._deposit(caller, receiver, assets, shares);
        earning = IERC20(asset()).balanceOf(address(this));
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        virtual
        override
    {
        _accrue();
        super._withdraw(caller, receiver, owner, assets, shares);
        earning = IERC20(asset()).balanceOf(address(this));
    }

    function _accrue() private {
        uint256 interest = pendingInterest();
        accruedAt = block.timestamp;
        if (interest != 0) FaucetToken(asset()).mint(address(this), interest);
    }

    function _decimalsOffset() internal view virtual override returns (uint8) {
        return offset;
    }
}
